#include "results.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace peers
{
namespace
{

void write_file(const std::string &path, const std::string &text)
{
    std::FILE *file = std::fopen(path.c_str(), "w");
    if (!file) throw std::runtime_error("cannot write " + path);
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (std::fclose(file) != 0 || !written) throw std::runtime_error("cannot write " + path);
}

// No more digits than a machine repeats.
std::string rounded(double ns)
{
    char text[32];
    std::snprintf(text, sizeof text, ns < 100 ? "%.1f" : "%.0f", ns);
    return text;
}

} // namespace

bool results::has(const std::string &robot) const
{
    return std::any_of(rows_.begin(), rows_.end(),
                       [&](const result_row &r) { return r.robot == robot; });
}

double results::ns(const std::string &robot, const std::string &algorithm,
                   const std::string &library) const
{
    for (const result_row &r : rows_)
        if (r.robot == robot && r.algorithm == algorithm && r.library == library) return r.ns;
    return 0;
}

std::vector<std::string> results::distinct(std::string result_row::*column) const
{
    std::vector<std::string> out;
    for (const result_row &r : rows_)
        if (std::find(out.begin(), out.end(), r.*column) == out.end()) out.push_back(r.*column);
    return out;
}

void results::write_csv(const std::string &path) const
{
    std::string text = "robot,algorithm,library,ns\n";
    for (const result_row &r : rows_)
        text += r.robot + "," + r.algorithm + "," + r.library + "," + rounded(r.ns) + "\n";
    write_file(path, text);
}

void results::write_markdown(const std::string &path) const
{
    const std::vector<std::string> robots = distinct(&result_row::robot);
    std::string                    text = "| algorithm | library |";
    for (const std::string &robot : robots)
        text += " " + robot + " |";
    text += "\n|---|---|";
    for (size_t i = 0; i < robots.size(); i++)
        text += "---:|";
    text += "\n";

    for (const std::string &algorithm : distinct(&result_row::algorithm))
        for (const std::string &library : distinct(&result_row::library)) {
            std::string line;
            bool        any = false;
            for (const std::string &robot : robots) {
                const double time = ns(robot, algorithm, library);
                any = any || time > 0;
                line += " " + (time > 0 ? rounded(time) : "-") + " |";
            }
            if (any) text += "| " + algorithm + " | " + library + " |" + line + "\n";
        }
    write_file(path, text);
}

} // namespace peers
