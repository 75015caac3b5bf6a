#include "generated.h"

#ifdef ARNE_HAVE_GENERATED
#include "generated/arm6.h"
#include "generated/arm6_lanes.h"
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

class lanes_peer : public peer
{
  public:
    explicit lanes_peer(const problem &p) : out_(lanes * 6)
    {
        for (size_t s = 0; s < p.states.size(); s += lanes)
            blocks_.push_back({side_by_side(p, s, &state::q), side_by_side(p, s, &state::qd),
                               side_by_side(p, s, &state::qdd), side_by_side(p, s, &state::tau)});
    }

    const char *name() const override { return "arne-generated-4"; }
    support     offers(algorithm a) const override
    {
        return a == algorithm::inverse_dynamics || a == algorithm::forward_dynamics ? support::full
                                                                                    : support::none;
    }
    void run(algorithm a, int count) override
    {
        in_turn((count + lanes - 1) / lanes, blocks_.size(),
                [&](size_t i) { call(a, blocks_[i]); });
    }
    std::vector<double> result(algorithm a, int index) override
    {
        std::vector<double> one;
        call(a, blocks_[static_cast<size_t>(index) / lanes]);
        for (size_t i = static_cast<size_t>(index) % lanes; i < out_.size(); i += lanes)
            one.push_back(out_[i]);
        return one;
    }

  private:
    static const int lanes = 4;

    static std::vector<double> side_by_side(const problem &p, size_t first,
                                            std::vector<double> state::*part)
    {
        std::vector<double> out;
        for (size_t i = 0; i < 6; i++)
            for (size_t l = 0; l < lanes; l++)
                out.push_back((p.states[(first + l) % p.states.size()].*part)[i]);
        return out;
    }
    void call(algorithm a, const state &s)
    {
        if (a == algorithm::inverse_dynamics)
            arm6_lanes_inverse_dynamics(s.q.data(), s.qd.data(), s.qdd.data(), out_.data());
        else
            arm6_lanes_forward_dynamics(s.q.data(), s.qd.data(), s.tau.data(), out_.data());
    }

    std::vector<state>  blocks_;
    std::vector<double> out_;
};

bool is_arm6(const problem &p)
{
    return std::string(arne_robot_name(p.robot)) == "arm6" && p.states[0].q.size() == 6;
}

} // namespace

peer_ptr make_generated(const problem &p)
{
    return is_arm6(p) ? std::make_unique<generated_peer>(p) : nullptr;
}

peer_ptr make_generated_lanes(const problem &p)
{
    return is_arm6(p) ? std::make_unique<lanes_peer>(p) : nullptr;
}

#else

peer_ptr make_generated(const problem &) { return nullptr; }
peer_ptr make_generated_lanes(const problem &) { return nullptr; }

#endif

} // namespace peers
