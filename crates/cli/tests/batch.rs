//! `buttress batch`: whoever is killed and when, each job has one row in the end; alone, and over a real Redis
//! server with takers.

#[path = "support/redis.rs"]
#[allow(dead_code, reason = "other files of tests use the rest")]
mod server;
#[path = "support/skip.rs"]
mod skip;
#[path = "support/started.rs"]
#[allow(dead_code, reason = "other files of tests use the rest")]
mod started;
#[allow(dead_code, reason = "other files of tests use the rest")]
mod support;

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use buttress_redis_board::{Item, Offer, Outcome, Queue};
use serde_json::{Value, json};
use server::Redis;
use started::Started;
use support::{Run, Scratch, buttress, root};

/// Far more than any of this takes.
const DEADLINE: Duration = Duration::from_secs(60);
/// Long enough for a taker on a slow machine to say that it lives.
const LEASE: &str = "4";

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < DEADLINE, "it never happens: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A folder of models, and a place for results.
struct Suite {
    scratch: Scratch,
}

impl Suite {
    /// So many copies of a model that IC3 proves at once, and that BMC works on for ever.
    fn new(name: &str, count: usize) -> Suite {
        let suite = Suite { scratch: Scratch::new(&format!("batch-{name}")) };
        std::fs::create_dir(suite.models()).expect("a folder");
        (0..count).for_each(|number| suite.add(&format!("m{number}.aag"), "mutex.aag"));
        suite
    }

    fn add(&self, name: &str, example: &str) {
        let text = std::fs::read(root().join("examples").join(example)).expect("an example");
        std::fs::write(self.models().join(name), text).expect("written");
    }

    fn models(&self) -> PathBuf {
        self.scratch.file("models")
    }

    fn results(&self) -> PathBuf {
        self.scratch.file("results.jsonl")
    }

    fn batch(&self, options: &[&str]) -> Command {
        let mut command = buttress(&self.scratch.0);
        command.args(["batch", "models", "--results", "results.jsonl"]).args(options);
        command
    }

    fn run(&self, options: &[&str]) -> Run {
        Run::of(&mut self.batch(options))
    }

    fn lines(&self) -> usize {
        std::fs::read(self.results()).map_or(0, |bytes| bytes.iter().filter(|&&b| b == b'\n').count())
    }

    fn rows(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.results()).expect("results");
        text.lines().map(|line| serde_json::from_str(line).expect("a row")).collect()
    }

    /// Each model has exactly one row.
    fn each_has_one_row(&self, count: usize) {
        let rows = self.rows();
        let models: BTreeSet<&str> = rows.iter().map(|row| row["model"].as_str().expect("a name")).collect();
        assert_eq!((rows.len(), models.len()), (count, count), "{rows:#?}");
    }
}

fn verdicts(row: &Value) -> Vec<&str> {
    let properties = row["properties"].as_array().expect("a list");
    properties.iter().map(|finding| finding["verdict"].as_str().expect("a word")).collect()
}

#[test]
fn alone() {
    let suite = Suite::new("alone", 1);
    suite.add("swapped.aag", "mutex-swapped.aag");
    suite.add("traffic.aag", "traffic.aag");
    std::fs::write(suite.models().join("notes.txt"), "not a model").expect("written");
    let run = suite.run(&["--timeout", "60"]);
    assert_eq!(run.code, 10, "{}", run.all());
    assert!(run.stdout.contains("[3/3] "), "{}", run.all());
    assert!(run.stdout.contains("models/swapped.aag: 1 falsified ("), "{}", run.all());
    assert!(
        run.stdout.contains("3 jobs: 2 proved, 1 falsified, 0 undecided, 0 failed; in "),
        "{}",
        run.all()
    );
    suite.each_has_one_row(3);
    let rows = suite.rows();
    let swapped = rows.iter().find(|row| row["model"] == "models/swapped.aag").expect("a row");
    assert_eq!((&swapped["properties"][0]["step"], &swapped["exit_code"]), (&json!(8), &json!(10)));
    assert!(swapped["worker"].as_str().expect("a name").starts_with("process "));
    assert_eq!(swapped["hash"].as_str().expect("a hash").len(), 64);
    // Nothing runs again, and the answer is the same.
    let again = suite.run(&["--timeout", "60"]);
    assert_eq!(again.code, 10, "{}", again.all());
    assert!(again.stdout.contains("; 3 reused; in "), "{}", again.all());
    suite.each_has_one_row(3);
    // Verdicts do not depend on limits, but on what was asked.
    assert!(suite.run(&["--timeout", "50"]).stdout.contains("; 3 reused; "));
    assert!(!suite.run(&["--timeout", "60", "--seed", "7"]).stdout.contains("reused"));
}

#[test]
fn lists_files_and_what_cannot_be_read() {
    let suite = Suite::new("lists", 1);
    suite.add("bad.aag", "mutex.aag");
    std::fs::write(suite.models().join("bad.aag"), "aag 1 0 0\n").expect("written");
    std::fs::write(suite.scratch.file("list"), "# some\nmodels/m0.aag\n\nmodels/bad.aag\nmodels/gone.aag\n")
        .expect("written");
    let mut command = buttress(&suite.scratch.0);
    let run = Run::of(command.args(["batch", "list", "models/m0.aag", "--json"]));
    assert_eq!(run.code, 1, "{}", run.all());
    let all: Value = serde_json::from_str(&run.stdout).expect("one object");
    assert_eq!((&all["totals"]["jobs"], &all["totals"]["failed"]), (&json!(3), &json!(2)), "{all:#}");
    let error = |number: usize| all["jobs"][number]["row"]["error"].as_str().unwrap_or_default();
    assert!(error(1).starts_with("models/bad.aag:1:"), "{all:#}");
    assert!(error(2).starts_with("models/gone.aag: error: "), "{all:#}");
    assert_eq!(all["jobs"][1]["row"]["exit_code"], 3);
}

#[test]
fn each_property_is_a_job() {
    let suite = Suite::new("each", 0);
    suite.add("traffic.aag", "traffic.aag");
    let run = suite.run(&["--each-property", "--timeout", "60"]);
    assert_eq!(run.code, 0, "{}", run.all());
    let rows = suite.rows();
    let properties: BTreeSet<&str> = rows.iter().filter_map(|row| row["property"].as_str()).collect();
    assert_eq!(properties, BTreeSet::from(["b0", "b1", "b2"]), "{rows:#?}");
    assert!(rows.iter().all(|row| verdicts(row) == ["proved"]), "{rows:#?}");
}

/// Processes whose command line names a folder.
fn processes_in(folder: &Path) -> usize {
    let folder = folder.display().to_string();
    let lines = std::fs::read_dir("/proc").expect("processes").flatten();
    let lines = lines.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(&folder)).count()
}

#[test]
fn killed_at_any_moment() {
    let suite = Suite::new("killed", 6);
    let models = suite.models().display().to_string();
    let batch = || {
        let mut command = buttress(&suite.scratch.0);
        command.args(["batch", &models, "--results", "results.jsonl", "--jobs", "1"]);
        command.args(["--engine", "bmc", "--timeout", "0.4"]);
        command
    };
    let mut before = Vec::new();
    for rows in [0, 2, 4] {
        let started = Started::of(&mut batch());
        until("rows are written", || suite.lines() >= rows && processes_in(&suite.models()) > 1);
        started.kill();
        // Nothing that it started goes on.
        until("its processes end", || processes_in(&suite.models()) == 0);
        let now = suite.rows();
        assert!(now.starts_with(&before), "what was written stays");
        before = now;
    }
    let last = Run::of(&mut batch());
    assert_eq!(last.code, 30, "{}", last.all());
    assert!(last.stdout.contains(" reused"), "{}", last.all());
    suite.each_has_one_row(6);
    assert!(suite.rows().starts_with(&before));
    // What stayed open is run again only where somebody asks for it, or gives more time.
    assert!(Run::of(&mut batch()).stdout.contains("; 6 reused; "));
    let again = Run::of(batch().args(["--again", "undecided"]));
    assert!(!again.stdout.contains("reused"), "{}", again.all());
}

#[test]
fn torn_lines_are_cut_off() {
    let suite = Suite::new("torn", 2);
    let options = ["--jobs", "1", "--timeout", "60"];
    assert_eq!(suite.run(&options).code, 0);
    let whole = std::fs::read(suite.results()).expect("results");
    let second = whole.iter().position(|&byte| byte == b'\n').expect("a line") + 1;
    for cut in [1, 9, second - 1, second + 1, second + 40, whole.len() - 1] {
        std::fs::write(suite.results(), &whole[..cut]).expect("written");
        let run = suite.run(&options);
        assert_eq!(run.code, 0, "cut at {cut}: {}", run.all());
        suite.each_has_one_row(2);
        assert_eq!(run.stdout.contains("reused"), cut > second, "cut at {cut}: {}", run.all());
    }
    // A file of something else is left alone.
    for other in ["my notes\n", "my notes", "{\"model\": 1}\n"] {
        std::fs::write(suite.results(), other).expect("written");
        let run = suite.run(&options);
        assert!(run.code == 2 && run.stderr.contains("results.jsonl:1: error: "), "{}", run.all());
        assert_eq!(std::fs::read_to_string(suite.results()).expect("kept"), other);
    }
}

#[test]
fn edited_models_run_again() {
    let suite = Suite::new("edited", 2);
    assert_eq!(suite.run(&["--timeout", "60"]).code, 0);
    suite.add("m1.aag", "mutex-swapped.aag");
    let run = suite.run(&["--timeout", "60"]);
    assert_eq!(run.code, 10, "{}", run.all());
    assert!(run.stdout.contains("; 1 reused; "), "{}", run.all());
    assert!(run.stdout.contains("models/m0.aag: 1 proved (reused)"), "{}", run.all());
}

#[test]
fn options_are_passed_on_or_refused() {
    let suite = Suite::new("options", 1);
    let refused: [(&[&str], &str); 10] = [
        (&["--board", "http://127.0.0.1:1"], "--board: this is no address of a Redis server"),
        (&["--board", "redis://127.0.0.1:1", "--lease", "0.1"], "at least one second"),
        (&["--witness", "w"], "--witness does not apply to a batch: all jobs would have the same file"),
        (&["--hwmcc"], "--hwmcc does not apply to a batch"),
        (&["--engine", "nothing"], "there is no such engine"),
        (&["--take"], "cannot be used with '--take'"),
        (&["--queue", "q"], "--board"),
        (&["--lease", "3"], "--board"),
        (&["--wait", "3"], "--take"),
        (&["--each-property", "--property", "b0"], "--property"),
    ];
    for (options, why) in refused {
        let run = suite.run(options);
        assert!(run.code == 2 && run.stderr.contains(why), "{options:?}: {}", run.all());
    }
    let away = suite.run(&["--board", "redis://127.0.0.1:1"]);
    assert!(away.code == 1 && away.stderr.contains("--board: redis 127.0.0.1:1: "), "{}", away.all());
    // What check itself refuses is a row.
    let run = suite.run(&["--predicates", "auto"]);
    assert!(run.code == 1 && run.stdout.contains("--predicates does not apply"), "{}", run.all());
}

fn starter(suite: &Suite, redis: &Redis, options: &[&str]) -> Command {
    let mut command = suite.batch(options);
    command.args(["--board", &redis.url(), "--lease", LEASE]);
    command
}

fn taker(suite: &Suite, redis: &Redis) -> Command {
    let mut command = buttress(&suite.scratch.0);
    command.args(["batch", "--take", "--jobs", "1", "--board", &redis.url()]);
    command
}

fn queue(redis: &Redis) -> Queue {
    Queue::at(&redis.url(), "batch").expect("an address")
}

fn until_filled(redis: &Redis, count: usize) {
    let mut queue = queue(redis);
    until("the queue is filled", || queue.open_jobs().expect("it answers").len() >= count);
}

/// Who has jobs now.
fn holders(redis: &Redis) -> Vec<String> {
    let key = "buttress:batch:1:{batch}:holders";
    redis::cmd("HVALS").arg(key).query(&mut redis.connection()).expect("it answers")
}

#[test]
fn takers_share_and_one_dies() {
    let Some(redis) = Redis::start("takers", false) else { return };
    let suite = Suite::new("takers", 6);
    // Takers may be there first.
    let dies = Started::of(&mut taker(&suite, &redis));
    let stays = Started::of(&mut taker(&suite, &redis));
    let starts = Started::of(&mut starter(&suite, &redis, &["--engine", "bmc", "--timeout", "1"]));
    let process = format!("process {} on ", dies.id());
    until("both have a job", || {
        let holders = holders(&redis);
        holders.len() == 2 && holders.iter().any(|who| who.contains(&process))
    });
    dies.kill();
    let run = starts.end();
    assert_eq!(run.code, 30, "{}", run.all());
    suite.each_has_one_row(6);
    assert!(suite.rows().iter().all(|row| verdicts(row) == ["undecided"]));
    let workers: BTreeSet<String> = suite.rows().iter().map(|row| row["worker"].to_string()).collect();
    assert!(workers.iter().all(|who| who.contains("taker ")), "{workers:?}");
    let stayed = stays.end();
    assert!(stayed.code == 0 && stayed.stdout.contains(" jobs done by taker "), "{}", stayed.all());
}

/// Who is asked to end gives its jobs back at once, and nobody has died.
#[test]
fn a_taker_is_asked_to_end() {
    let Some(redis) = Redis::start("asked", false) else { return };
    let suite = Suite::new("asked", 1);
    // No time limit, and a lease that does not run out here.
    let mut command = suite.batch(&["--engine", "bmc", "--board", &redis.url(), "--lease", "600"]);
    let starts = Started::of(&mut command);
    let ends = Started::of(&mut taker(&suite, &redis));
    until("it has the job", || holders(&redis).len() == 1);
    let process = nix::unistd::Pid::from_raw(ends.id().cast_signed());
    nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGTERM).expect("it runs");
    let run = ends.end();
    assert_eq!(run.code, 30, "{}", run.all());
    assert!(matches!(queue(&redis).take("the next"), Ok(Offer::Job(_))), "it waits again");
    starts.kill();
}

#[test]
fn who_began_dies_and_begins_again() {
    let Some(redis) = Redis::start("starter", false) else { return };
    let suite = Suite::new("starter", 3);
    let options = ["--timeout", "60"];
    let first = Started::of(&mut starter(&suite, &redis, &options));
    until_filled(&redis, 3);
    first.kill();
    // Takers do all of it meanwhile, and end.
    let took = Run::of(&mut taker(&suite, &redis));
    assert!(took.code == 0 && took.stdout.contains("3 jobs done"), "{}", took.all());
    assert_eq!(suite.lines(), 0);
    let run = Run::of(&mut starter(&suite, &redis, &options));
    assert_eq!(run.code, 0, "{}", run.all());
    suite.each_has_one_row(3);
    // All is done: the server is not even asked.
    let again = suite.run(&["--timeout", "60", "--board", "redis://127.0.0.1:1"]);
    assert!(again.code == 0 && again.stdout.contains("; 3 reused; "), "{}", again.all());
}

#[test]
fn the_server_forgets() {
    let Some(mut redis) = Redis::start("batch-lost", false) else { return };
    let suite = Suite::new("forgets", 2);
    let starts = Started::of(&mut starter(&suite, &redis, &["--timeout", "60"]));
    until_filled(&redis, 2);
    redis.kill();
    redis.again();
    until_filled(&redis, 2);
    assert_eq!(Run::of(&mut taker(&suite, &redis)).code, 0);
    assert_eq!(starts.end().code, 0);
    suite.each_has_one_row(2);
}

#[test]
fn a_model_that_differs_is_not_answered() {
    let Some(redis) = Redis::start("differs", false) else { return };
    let suite = Suite::new("differs", 2);
    let starts = Started::of(&mut starter(&suite, &redis, &["--timeout", "60"]));
    until_filled(&redis, 2);
    suite.add("m1.aag", "mutex-swapped.aag");
    assert_eq!(Run::of(&mut taker(&suite, &redis)).code, 0);
    let run = starts.end();
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stdout.contains("this is not the file that the batch was begun with"), "{}", run.all());
    let rows = suite.rows();
    let row = rows.iter().find(|row| row["model"] == "models/m1.aag").expect("a row");
    assert!(verdicts(row).is_empty(), "{row:#}");
    // It says nothing about the model, and is run again.
    assert!(suite.run(&["--timeout", "60"]).stdout.contains("; 1 reused; "));
}

#[test]
fn models_are_sent() {
    let Some(redis) = Redis::start("sent", false) else { return };
    let suite = Suite::new("sent", 2);
    let starts = Started::of(&mut starter(&suite, &redis, &["--timeout", "60", "--send-models"]));
    until_filled(&redis, 2);
    std::fs::remove_dir_all(suite.models()).expect("gone");
    assert_eq!(Run::of(&mut taker(&suite, &redis)).code, 0);
    let run = starts.end();
    assert_eq!(run.code, 0, "{}", run.all());
    suite.each_has_one_row(2);
}

/// The next job, as somebody who never answers.
fn vanish(queue: &mut Queue, who: &str) {
    until("there is a job", || matches!(queue.take(who), Ok(Offer::Job(_))));
}

#[test]
fn a_job_that_kills_its_takers_is_given_up() {
    let Some(redis) = Redis::start("gives-up", false) else { return };
    let suite = Suite::new("gives-up", 1);
    let mut command = suite.batch(&["--board", &redis.url(), "--lease", "1"]);
    let starts = Started::of(&mut command);
    until_filled(&redis, 1);
    let mut queue = queue(&redis);
    ["ghost 1", "ghost 2", "ghost 3"].iter().for_each(|who| vanish(&mut queue, who));
    let run = starts.end();
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stdout.contains("given up: 3 takers died over it"), "{}", run.all());
    assert_eq!(suite.rows()[0]["killed"], json!(["ghost 1", "ghost 2", "ghost 3"]));
}

/// A taker does not do what a job may not ask, and who collects does not believe what contradicts itself.
#[test]
fn strangers_on_the_server() {
    let Some(redis) = Redis::start("strangers", false) else { return };
    let suite = Suite::new("strangers", 1);
    let written = suite.scratch.file("written");
    let path = suite.models().join("m0.aag");
    let mut queue = queue(&redis);
    let letter = json!({
        "version": 1, "model": "m", "path": path, "property": null, "hash": "0".repeat(64), "sent": false,
        "asked": {"options": [format!("--witness={}", written.display())], "files": null, "timeout": null,
                  "memory": null, "cores": null},
    });
    let job = |id: &str, body: Vec<u8>| Item { id: id.to_string(), body };
    let jobs = [job("a", letter.to_string().into_bytes()), job("b", b"nonsense".to_vec())];
    queue.fill("a stranger", Duration::from_secs(60), &jobs).expect("it answers");
    assert_eq!(Run::of(&mut taker(&suite, &redis)).code, 0);
    let outcomes = queue.collect().expect("it answers").outcomes;
    let said: Vec<String> = outcomes.iter().map(|(_, outcome)| text(outcome)).collect();
    assert!(said[0].contains("--witness does not apply to a batch"), "{said:?}");
    assert!(said[1].contains("this is no job"), "{said:?}");
    assert!(!written.exists());
    queue.close().expect("it answers");
    let starts = Started::of(&mut starter(&suite, &redis, &[]));
    until_filled(&redis, 1);
    let mut taken = None;
    until("there is a job", || {
        taken = queue.take("a liar").ok();
        matches!(taken, Some(Offer::Job(_)))
    });
    let Some(Offer::Job(item)) = taken else { unreachable!("it was a job") };
    let lie = json!({
        "model": "another", "hash": null, "options": "", "limits": "", "exit_code": 0, "seconds": 1.0,
        "worker": "a liar",
        "properties": [{"name": "p", "position": "b0", "verdict": "falsified", "seconds": 1.0}],
    });
    assert!(queue.answer(&item.id, lie.to_string().as_bytes()).expect("it answers"));
    let run = starts.end();
    assert!(run.code == 1 && run.stdout.contains("contradict each other"), "{}", run.all());
    assert_eq!(suite.rows()[0]["model"], "models/m0.aag");
    assert_eq!(suite.rows()[0]["worker"], "a liar");
}

fn text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Answered(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Outcome::GivenUp(names) => names.join(", "),
    }
}

fn cluster(name: &str) -> PathBuf {
    root().join("examples/cluster").join(name)
}

/// A folder with programs, for the PATH: this one, and an `ssh` that stays here.
fn programs(suite: &Suite) -> String {
    let folder = suite.scratch.file("bin");
    std::fs::create_dir(&folder).expect("a folder");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_buttress"), folder.join("buttress")).expect("a link");
    let ssh = folder.join("ssh");
    std::fs::write(&ssh, "#!/bin/sh\nshift 2\nexec sh -c \"$*\"\n").expect("written");
    std::fs::set_permissions(&ssh, std::fs::Permissions::from_mode(0o755)).expect("it may run");
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default())
}

fn script(suite: &Suite, name: &str, path: &str) -> Command {
    let mut command = Command::new("bash");
    command.arg(cluster(name)).current_dir(&suite.scratch.0).env("PATH", path).env("BUTTRESS_SOLVERS", "");
    command
}

#[test]
fn the_script_for_ssh() {
    let Some(redis) = Redis::start("ssh", false) else { return };
    let suite = Suite::new("ssh", 3);
    let path = programs(&suite);
    let mut command = script(&suite, "ssh.sh", &path);
    let run = Run::of(command.args([&redis.url(), "models", "results.jsonl", "one", "two"]));
    assert_eq!(run.code, 0, "{}", run.all());
    suite.each_has_one_row(3);
}

#[test]
fn the_script_for_slurm() {
    let Some(redis) = Redis::start("slurm", false) else { return };
    let suite = Suite::new("slurm", 3);
    let path = programs(&suite);
    let task = |number: &str| {
        let mut command = script(&suite, "slurm.sh", &path);
        command.env("SLURM_ARRAY_TASK_ID", number).env("SLURM_CPUS_PER_TASK", "1");
        command.env("SLURM_ARRAY_JOB_ID", "7").env("BOARD", redis.url()).env("MODELS", "models");
        command.env("RESULTS", "results.jsonl");
        Started::of(&mut command)
    };
    let (first, second) = (task("0"), task("1"));
    let (first, second) = (first.end(), second.end());
    assert_eq!(first.code, 0, "{}", first.all());
    assert_eq!(second.code, 0, "{}", second.all());
    suite.each_has_one_row(3);
}

#[test]
fn the_files_for_clusters_can_be_read() {
    for name in ["slurm.sh", "ssh.sh"] {
        assert!(
            Command::new("bash").arg("-n").arg(cluster(name)).status().expect("bash").success(),
            "{name}"
        );
    }
    let has_yaml = Command::new("python3").args(["-c", "import yaml"]).stderr(Stdio::null()).status();
    if !has_yaml.is_ok_and(|status| status.success()) {
        return skip::skip("yaml", "python3 has no module yaml");
    }
    for name in ["kubernetes.yaml", "github-actions.yml"] {
        let read = "import sys, yaml; assert all(list(yaml.safe_load_all(open(sys.argv[1]))))";
        let status = Command::new("python3").args(["-c", read]).arg(cluster(name)).status().expect("python3");
        assert!(status.success(), "{name}");
    }
}
