#include "generated.h"

#ifdef ARNE_HAVE_GENERATED
#include "generated/arm6.h"
#endif

namespace peers
{

#ifdef ARNE_HAVE_GENERATED

namespace
{

class generated_peer : public peer
{
  public:
    explicit generated_peer(const problem &p) : p_(p), out_(p.states[0].qd.size()) {}

    const char *name() const override { return "arne-generated"; }
    support     offers(algorithm a) const override
    {
        return a == algorithm::inverse_dynamics || a == algorithm::forward_dynamics ? support::full
                                                                                    : support::none;
    }
    void run(algorithm a, int count) override
    {
        if (a == algorithm::inverse_dynamics)
            in_turn(count, p_.states.size(), [this](size_t s) { inverse(p_.states[s]); });
        else
            in_turn(count, p_.states.size(), [this](size_t s) { forward(p_.states[s]); });
    }
    std::vector<double> result(algorithm a, int index) override
    {
        if (a == algorithm::inverse_dynamics)
            inverse(p_.states[index]);
        else
            forward(p_.states[index]);
        return out_;
    }

  private:
    void inverse(const state &s)
    {
        arm6_inverse_dynamics(s.q.data(), s.qd.data(), s.qdd.data(), out_.data());
    }
    void forward(const state &s)
    {
        arm6_forward_dynamics(s.q.data(), s.qd.data(), s.tau.data(), out_.data());
    }

    const problem      &p_;
    std::vector<double> out_;
};

} // namespace

peer_ptr make_generated(const problem &p)
{
    const bool known = std::string(arne_robot_name(p.robot)) == "arm6" && p.states[0].q.size() == 6;
    return known ? std::make_unique<generated_peer>(p) : nullptr;
}

#else

peer_ptr make_generated(const problem &) { return nullptr; }

#endif

} // namespace peers
