// Arne as it is packaged, behind the face of a peer: a module with the packaged library in it,
// which no name of the other build reaches.
#include "packaged_robot.h"
#include "peer.h"

#include <stdexcept>

namespace
{

// The problem with a robot for the packaged library's best kernels.
class packaged_peer : public peers::peer
{
  public:
    explicit packaged_peer(const peers::problem &p)
        : robot_(packaged_robot(p.robot), arne_robot_free), problem_{robot_.get(), p.model,
                                                                     p.states},
          inner_(peers::make_arne(problem_))
    {
    }
    const char         *name() const override { return "arne-packaged"; }
    peers::support      offers(peers::algorithm a) const override { return inner_->offers(a); }
    void                run(peers::algorithm a, int count) override { inner_->run(a, count); }
    std::vector<double> result(peers::algorithm a, int state) override
    {
        return inner_->result(a, state);
    }

  private:
    std::unique_ptr<arne_robot, void (*)(arne_robot *)> robot_;
    peers::problem                                      problem_;
    peers::peer_ptr                                     inner_;
};

} // namespace

extern "C" __attribute__((visibility("default"))) peers::peer *
arne_make_packaged(const peers::problem &p)
{
    return new packaged_peer(p);
}
