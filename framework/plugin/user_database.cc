#include "framework/plugin/user_database.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <system_error>

namespace loci::plugin {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestLine = std::size_t{1} << 20;
// Records of the source "systemd" lie here; its other users have groups of their own.
constexpr std::array<const char*, 3> kRecordDirectories{"userdb", "/run/userdb", "/usr/lib/userdb"};

struct CloseDatabase {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using DatabaseFile = std::unique_ptr<std::FILE, CloseDatabase>;

// The sources in a line of nsswitch.conf: "passwd: files [NOTFOUND=return] sss # comment".
std::vector<std::string> sources_in(const std::string& line, const std::string& database) {
  std::istringstream words(line.substr(0, line.find('#')));
  std::string word;
  if (!(words >> word) || word.rfind(database + ":", 0) != 0) return {};
  std::vector<std::string> sources;
  word.erase(0, database.size() + 1);
  bool in_action = false;
  do {
    in_action = in_action || word.rfind('[', 0) == 0;
    if (!in_action && !word.empty()) sources.push_back(word);
    if (!word.empty() && word.back() == ']') in_action = false;
  } while (words >> word);
  return sources;
}

// Records of an administrator, which may put users into any group.
std::string find_records(const std::string& etc) {
  for (const char* name : kRecordDirectories) {
    const fs::path directory = fs::path(etc) / name;
    std::error_code error;
    if (fs::exists(directory, error) && !fs::is_empty(directory, error)) {
      return fmt::format("{} has records of further users", directory.string());
    }
  }
  return {};
}

std::string find_gap(const std::string& source, const std::string& etc) {
  if (source == "systemd") return find_records(etc);
  if (source == "files" || source == "compat") return {};
  return fmt::format("{}/nsswitch.conf names the source '{}'", etc, source);
}

// Says what shows that there are more users than those of the files; empty if nothing does.
std::string find_gap(const std::string& etc) {
  const std::string path = etc + "/nsswitch.conf";
  std::error_code error;
  // Without it the C library takes the files alone.
  if (!fs::exists(path, error) && !error) return {};
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    for (const char* database : {"passwd", "group", "initgroups"}) {
      for (const std::string& source : sources_in(line, database)) {
        if (std::string gap = find_gap(source, etc); !gap.empty()) return gap;
      }
    }
  }
  return file.eof() ? std::string() : fmt::format("{} cannot be read", path);
}

// Returns true for a line that includes users of a network, as the source "compat" reads it.
bool is_inclusion(const char* name) { return *name == '+' || *name == '-'; }

// Calls one of the C library's readers until the end of the file; what stops it is a gap.
template <class Record, class Next, class Take>
void for_each_entry(const std::string& path, UserDatabase& database, Next&& next, Take&& take) {
  const DatabaseFile file(std::fopen(path.c_str(), "re"));
  if (file == nullptr) {
    if (errno != ENOENT) {
      database.gap = fmt::format("{} cannot be read: {}", path, std::strerror(errno));
    }
    return;
  }
  std::vector<char> buffer(kLongestLine);
  for (;;) {
    Record record{};
    Record* found = nullptr;
    const int error = next(file.get(), &record, buffer.data(), buffer.size(), &found);
    if (error == ENOENT) return;
    if (error != 0 || !take(record)) {
      database.gap = fmt::format("{} has entries that cannot be read", path);
      return;
    }
  }
}

void read_users(const std::string& path, UserDatabase& database) {
  for_each_entry<passwd>(path, database, ::fgetpwent_r, [&database](const passwd& user) {
    database.users.push_back({user.pw_name, user.pw_uid, user.pw_gid});
    return !is_inclusion(user.pw_name);
  });
}

void read_groups(const std::string& path, UserDatabase& database) {
  for_each_entry<::group>(path, database, ::fgetgrent_r, [&database](const ::group& entry) {
    UserDatabase::Group group{entry.gr_name, entry.gr_gid, {}};
    for (char** member = entry.gr_mem; *member != nullptr; ++member) {
      group.members.emplace_back(*member);
    }
    database.groups.push_back(std::move(group));
    return !is_inclusion(entry.gr_name);
  });
}

bool is_trusted(const UserDatabase& database, const std::string& name, uid_t user) {
  bool known = false;
  for (const UserDatabase::User& entry : database.users) {
    if (entry.name != name) continue;
    if (entry.id != 0 && entry.id != user) return false;
    known = true;
  }
  return known;
}

// Returns true for the primary group of root or the user; an unknown number may be anybody's.
bool is_own_group(const UserDatabase& database, gid_t group, uid_t user) {
  bool user_known = false;
  for (const UserDatabase::User& entry : database.users) {
    if ((entry.id == 0 || entry.id == user) && entry.group == group) return true;
    user_known = user_known || entry.id == user;
  }
  return !user_known && group == user;
}

}  // namespace

UserDatabase read_user_database(const std::string& etc) {
  UserDatabase database;
  read_users(etc + "/passwd", database);
  read_groups(etc + "/group", database);
  if (database.gap.empty()) database.gap = find_gap(etc);
  return database;
}

std::string objection_to_group(const UserDatabase& database, gid_t group, uid_t user) {
  for (const UserDatabase::User& entry : database.users) {
    if (entry.group == group && entry.id != 0 && entry.id != user) {
      return fmt::format("which the user '{}' belongs to", entry.name);
    }
  }
  for (const UserDatabase::Group& entry : database.groups) {
    if (entry.id != group) continue;
    for (const std::string& member : entry.members) {
      if (is_trusted(database, member, user)) continue;
      return fmt::format("which the user '{}' belongs to", member);
    }
  }
  if (!is_own_group(database, group, user)) {
    return fmt::format("which is the own group of neither root nor user {}", user);
  }
  if (!database.gap.empty()) {
    return fmt::format("whose members cannot all be known ({})", database.gap);
  }
  return {};
}

}  // namespace loci::plugin
