// What a run measured, and the files it is kept in.
#ifndef ARNE_BENCH_RESULTS_H
#define ARNE_BENCH_RESULTS_H

#include <string>
#include <vector>

namespace peers
{

struct result_row {
    std::string robot, algorithm, library;
    double      ns;
};

class results
{
  public:
    void add(const result_row &row) { rows_.push_back(row); }
    bool has(const std::string &robot) const;
    // 0 where it was not measured.
    double ns(const std::string &robot, const std::string &algorithm,
              const std::string &library) const;

    // Both throw std::runtime_error where the file cannot be written.
    // CSV: robot,algorithm,library,ns. Markdown: for each algorithm, libraries by robots.
    void write_csv(const std::string &path) const;
    void write_markdown(const std::string &path) const;

  private:
    std::vector<std::string> distinct(std::string result_row::*column) const;

    std::vector<result_row> rows_;
};

} // namespace peers

#endif
