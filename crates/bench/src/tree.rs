//! The process tree of one run, watched through `/proc`: its CPU time, its memory, its end.
//!
//! A process belongs to the tree when it descends from the run's first process, is in that
//! process's group, or belonged at an earlier sample, so that losing its parent does not set it
//! free. A process escapes only by leaving the group and losing its parent between two samples.
//!
//! CPU time is what the living have used, plus what they inherited from children they waited
//! for, plus what orphans had used when last seen. Time of a child that nobody waits for is
//! known only up to the last sample. Resident memory is summed over the processes, so pages
//! they share count once for each. Without `/proc` the tree looks empty, and only the first
//! process's group can be killed.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::sync::OnceLock;
use std::time::Duration;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

/// How often, and how long apart, the hunt for survivors is repeated.
const KILL_ROUNDS: u32 = 200;
const KILL_PAUSE: Duration = Duration::from_millis(2);
/// For how many samples a process outside the tree is remembered to be there.
const REMEMBER: u32 = 50;

/// The resources that the tree has used up to a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time of the whole tree, the ended processes included.
    pub cpu: Duration,
    /// Resident bytes now.
    pub memory: u64,
}

/// One line of `/proc/PID/stat`, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    pid: i32,
    parent: i32,
    group: i32,
    /// A zombie has ended; it only keeps its number and its times.
    zombie: bool,
    /// With the number, this names the process for good.
    start: u64,
    /// Own and inherited CPU time in clock ticks.
    ticks: u64,
    /// Resident pages.
    pages: u64,
}

/// The tree below one process.
#[derive(Debug)]
pub struct Tree {
    root: i32,
    /// The members at the last sample, by number.
    members: HashMap<i32, Stat>,
    /// Ticks of orphans that have ended.
    lost: u64,
    /// Numbers of processes outside the tree, which are not read again: a process does not move
    /// into the tree.
    strangers: HashSet<i32>,
    /// Samples until the strangers are forgotten, as their numbers may be used again.
    remembered: u32,
}

impl Tree {
    /// The tree of a process that leads its own process group.
    pub fn new(root: u32) -> Tree {
        Tree {
            root: i32::try_from(root).unwrap_or(i32::MAX),
            members: HashMap::new(),
            lost: 0,
            strangers: HashSet::new(),
            remembered: 0,
        }
    }

    /// Looks at all processes and adds up what the tree uses. Once the root has been waited
    /// for, this is what was left behind and is in no account of the root's.
    pub fn sample(&mut self) -> Usage {
        let nearby = self.look_around();
        let found = find_again(&self.in_order(&nearby));
        let before = std::mem::replace(&mut self.members, found);
        self.lost += before
            .values()
            .filter(|old| self.is_orphan(old, &before) && !self.contains(old))
            .map(|old| old.ticks)
            .sum::<u64>();
        self.usage()
    }

    /// Reads all processes that may be in the tree, and notes which are not.
    fn look_around(&mut self) -> Vec<Stat> {
        if self.remembered == 0 {
            self.strangers.clear();
            self.remembered = REMEMBER;
        }
        self.remembered -= 1;
        let numbers = all_processes();
        let candidates = numbers.iter().filter(|pid| !self.strangers.contains(pid));
        let read: Vec<Stat> = candidates.filter_map(|pid| read_stat(*pid)).collect();
        let inside: HashSet<i32> = self.in_order(&read).iter().map(|stat| stat.pid).collect();
        self.strangers = numbers.into_iter().filter(|pid| !inside.contains(pid)).collect();
        read
    }

    /// Kills the whole tree, whose root has not been waited for yet.
    pub fn kill(&mut self) {
        // The group may be gone already; the survivors are hunted one by one.
        let _ = killpg(Pid::from_raw(self.root), Signal::SIGKILL);
        self.kill_survivors();
    }

    /// Kills every process still in the tree, repeatedly, as they may be forking.
    pub fn kill_survivors(&mut self) {
        for _ in 0..KILL_ROUNDS {
            self.sample();
            let living: Vec<i32> = self.members.values().filter(|m| !m.zombie).map(|m| m.pid).collect();
            if living.is_empty() {
                return;
            }
            for pid in living {
                // It may have ended since the sample.
                let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
            }
            std::thread::sleep(KILL_PAUSE);
        }
    }

    /// The members among all processes, parents before children.
    fn in_order<'a>(&self, all: &'a [Stat]) -> Vec<&'a Stat> {
        let mut inside: HashSet<i32> = all.iter().filter(|s| self.is_seed(s)).map(|s| s.pid).collect();
        let mut ready: Vec<&Stat> =
            all.iter().filter(|s| inside.contains(&s.pid) && !inside.contains(&s.parent)).collect();
        inside = ready.iter().map(|s| s.pid).collect();
        let mut next = 0;
        while let Some(parent) = ready.get(next).copied() {
            ready.extend(all.iter().filter(|s| s.parent == parent.pid && inside.insert(s.pid)));
            next += 1;
        }
        ready
    }

    /// Belongs to the tree whatever its parent.
    fn is_seed(&self, stat: &Stat) -> bool {
        stat.pid == self.root || stat.group == self.root || self.contains(stat)
    }

    /// This very process was a member at the last sample.
    fn contains(&self, stat: &Stat) -> bool {
        self.members.get(&stat.pid).is_some_and(|member| member.start == stat.start)
    }

    /// No member of the given sample is this one's parent.
    fn is_orphan(&self, stat: &Stat, sample: &HashMap<i32, Stat>) -> bool {
        stat.pid != self.root && !sample.contains_key(&stat.parent)
    }

    /// Adds up the last sample.
    fn usage(&self) -> Usage {
        let units = Units::of_system();
        let members = self.members.values();
        let total: u64 = members.clone().map(|m| m.ticks).sum();
        Usage {
            cpu: units.time(total + self.lost),
            memory: members.map(|m| m.pages).sum::<u64>() * units.page_bytes,
        }
    }
}

/// The units in which the kernel reports.
#[derive(Clone, Copy, Debug)]
struct Units {
    page_bytes: u64,
    ticks_per_second: u64,
}

impl Units {
    /// As the kernel told this process at its start; the usual values where it cannot be asked.
    fn of_system() -> Units {
        static UNITS: OnceLock<Units> = OnceLock::new();
        *UNITS.get_or_init(|| Units::from_auxv(&fs::read("/proc/self/auxv").unwrap_or_default()))
    }

    /// Reads the auxiliary vector: pairs of a kind and a value, each a machine word.
    fn from_auxv(bytes: &[u8]) -> Units {
        const PAGE_BYTES: usize = 6;
        const CLOCK_TICKS: usize = 17;
        let (words, _) = bytes.as_chunks::<{ size_of::<usize>() }>();
        let words: Vec<usize> = words.iter().map(|word| usize::from_ne_bytes(*word)).collect();
        let value = |kind| {
            let pair = words.chunks_exact(2).find(|pair| pair[0] == kind);
            pair.map(|pair| pair[1] as u64).filter(|value| *value > 0)
        };
        Units {
            page_bytes: value(PAGE_BYTES).unwrap_or(4096),
            ticks_per_second: value(CLOCK_TICKS).unwrap_or(100),
        }
    }

    fn time(self, ticks: u64) -> Duration {
        Duration::from_millis(ticks * 1000 / self.ticks_per_second)
    }
}

/// Reads processes anew, parents before children: a child that is waited for in between is then
/// missed, never counted twice.
fn find_again(members: &[&Stat]) -> HashMap<i32, Stat> {
    let again = |old: &&Stat| read_stat(old.pid).filter(|new| new.start == old.start);
    members.iter().filter_map(again).map(|new| (new.pid, new)).collect()
}

/// The numbers of all processes.
fn all_processes() -> Vec<i32> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    names.filter_map(|name| name.to_str()?.parse().ok()).collect()
}

/// One process, if it still exists.
fn read_stat(pid: i32) -> Option<Stat> {
    parse_stat(&String::from_utf8_lossy(&fs::read(format!("/proc/{pid}/stat")).ok()?))
}

/// Reads a `stat` line. The program's name may hold spaces and parentheses.
fn parse_stat(text: &str) -> Option<Stat> {
    let (head, tail) = text.rsplit_once(')')?;
    let (pid, _) = head.split_once('(')?;
    let fields: Vec<&str> = tail.split_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<i64>().ok();
    let count = |at: usize| number(at).and_then(|n| u64::try_from(n).ok());
    Some(Stat {
        pid: pid.trim().parse().ok()?,
        zombie: matches!(*fields.first()?, "Z" | "X"),
        parent: number(1)?.try_into().ok()?,
        group: number(2)?.try_into().ok()?,
        ticks: count(11)? + count(12)? + count(13)? + count(14)?,
        start: count(19)?,
        pages: count(21)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(pid: i32, parent: i32, group: i32) -> Stat {
        Stat { pid, parent, group, zombie: false, start: 1, ticks: 5, pages: 2 }
    }

    fn pids(stats: &[&Stat]) -> Vec<i32> {
        stats.iter().map(|s| s.pid).collect()
    }

    #[test]
    fn stat_lines() {
        let line = "42 (a) b (c) S 7 42 42 0 -1 4194304 100 0 0 0 11 22 33 44 20 0 1 0 84010 \
                    3133440 348 18446744073709551615 1 2";
        let parsed = parse_stat(line).expect("a stat line");
        assert_eq!((parsed.pid, parsed.parent, parsed.group), (42, 7, 42));
        assert_eq!((parsed.ticks, parsed.start, parsed.pages), (110, 84010, 348));
        assert!(!parsed.zombie);
        assert_eq!(parse_stat("42 (x) S 7"), None);
        assert_eq!(parse_stat(""), None);
    }

    #[test]
    fn members_come_parents_first() {
        let tree = Tree::new(10);
        // 30 is a grandchild in another group, 5 an orphan in the group, 99 a stranger.
        let all = [stat(5, 1, 10), stat(30, 20, 30), stat(20, 10, 10), stat(99, 1, 99), stat(10, 2, 10)];
        assert_eq!(pids(&tree.in_order(&all)), [5, 10, 20, 30]);
    }

    #[test]
    fn former_members_stay_members_unless_the_number_was_reused() {
        let mut tree = Tree::new(10);
        tree.members.insert(40, stat(40, 1, 40));
        tree.members.insert(41, Stat { start: 9, ..stat(41, 1, 41) });
        let all = [stat(40, 1, 40), stat(41, 1, 41)];
        assert_eq!(pids(&tree.in_order(&all)), [40]);
    }

    #[test]
    fn orphans_keep_their_time() {
        let mut tree = Tree::new(i32::MAX as u32);
        tree.members.insert(i32::MAX, stat(i32::MAX, 1, i32::MAX));
        tree.members.insert(i32::MAX - 1, stat(i32::MAX - 1, i32::MAX, i32::MAX));
        tree.members.insert(i32::MAX - 2, stat(i32::MAX - 2, 1, i32::MAX));
        // No process has these numbers: all have ended, and one of them was an orphan.
        tree.sample();
        assert_eq!(tree.lost, 5);
    }

    #[test]
    fn auxv_is_pairs_of_words() {
        let words: [usize; 6] = [6, 16384, 17, 250, 0, 0];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let units = Units::from_auxv(&bytes);
        assert_eq!((units.page_bytes, units.ticks_per_second), (16384, 250));
        assert_eq!(units.time(125), Duration::from_millis(500));
        assert_eq!(Units::from_auxv(&[]).ticks_per_second, 100);
    }

    #[test]
    fn this_process_is_seen() {
        let usage = Tree::new(std::process::id()).sample();
        assert!(usage.memory > 100_000, "{usage:?}");
    }
}
