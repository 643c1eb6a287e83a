//! The commands of the book and of the README are run, and what they are said to print about properties is printed;
//! and what the program says about itself: topics, manual pages, completions.

#[allow(dead_code)]
mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use support::{Run, Scratch, buttress, root};

/// A command of a chapter, and what it is said to print.
struct Shown {
    command: String,
    output: Vec<String>,
}

/// The commands of the consoles of a chapter, in order; a text for a command's input belongs to the command.
fn commands(chapter: &str) -> Vec<Shown> {
    let (mut found, mut inside): (Vec<Shown>, bool) = (Vec::new(), false);
    let mut lines = chapter.lines();
    while let Some(line) = lines.next() {
        match (line.starts_with("```"), line.strip_prefix("$ ")) {
            (true, _) => inside = line == "```console",
            (false, Some(command)) if inside => {
                let mut command = command.to_string();
                while command.ends_with('\\') {
                    command = format!("{command}\n{}", lines.next().expect("it goes on"));
                }
                if command.contains("<<'E'") {
                    command.extend(
                        lines.by_ref().take_while(|line| *line != "E").map(|line| format!("\n{line}")),
                    );
                    command += "\nE\n";
                }
                found.push(Shown { command, output: Vec::new() });
            }
            (false, _) if inside => found.iter_mut().last().expect("a command").output.push(line.to_string()),
            _ => {}
        }
    }
    found
}

/// What cannot be run here: it needs a server, other machines, programs of others, minutes, or a file that the
/// reader has.
const LEFT_OUT: [&str; 9] =
    ["redis:", "sbatch", "cluster", "yosys", "buttress bench", "echo $?", "pip ", "MODEL", "DIR"];

fn chapters() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("docs/book")).expect("the book");
    let mut chapters: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    chapters.retain(|path| path.extension().is_some_and(|e| e == "md") && !path.ends_with("SUMMARY.md"));
    chapters.push(root().join("README.md"));
    chapters.sort();
    chapters
}

/// A folder that looks like the repository, with the program on the path.
fn workplace(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    std::fs::create_dir(scratch.file("tests")).expect("a folder");
    for folder in ["examples", "tests/golden", "tests/checkers", "docs"] {
        let status = Command::new("cp").arg("-r").arg(root().join(folder)).arg(scratch.file(folder)).status();
        assert!(status.expect("cp runs").success());
    }
    scratch
}

fn run(command: &str, folder: &Path) -> Run {
    let program = Path::new(env!("CARGO_BIN_EXE_buttress")).parent().expect("a folder");
    let path = std::env::join_paths(
        [program.to_path_buf()]
            .into_iter()
            .chain(std::env::split_paths(&std::env::var_os("PATH").expect("a path"))),
    );
    Run::of(Command::new("bash").current_dir(folder).env("PATH", path.expect("a path")).args(["-c", command]))
}

/// Whether a model that a command names is there: some chapters speak of a reader's own.
fn has_its_models(command: &str, folder: &Path) -> bool {
    let endings = [".aag", ".aig", ".btor2", ".lus", ".vmt", ".moxi", ".cub"];
    let words = command.split_whitespace().take_while(|word| *word != "--reduced" && *word != ">");
    let models = words.filter(|word| endings.iter().any(|ending| word.ends_with(ending)));
    command.starts_with("cat >")
        || models.into_iter().all(|model| folder.join(model).exists() || made(command, model))
}

/// Whether `cat` would find no such file.
fn is_new(folder: &Path, file: &str) -> bool {
    !file.starts_with('>') && !folder.join(file).exists()
}

/// What a command writes itself.
fn made(command: &str, file: &str) -> bool {
    ["--certificate ", "--witness ", "> "].iter().any(|before| command.contains(&format!("{before}{file}")))
}

/// `name: verdict`, the beginning of a line about a property.
fn verdict(line: &str) -> Option<String> {
    let (name, said) = line.split_once(": ")?;
    let word = said.split([' ', ',', ':']).next()?;
    let verdicts = ["proved", "falsified", "undecided", "unreachable", "reached"];
    (verdicts.contains(&word) && !name.starts_with(' ')).then(|| format!("{name}: {word}"))
}

#[test]
fn the_commands_of_the_book_do_what_is_said() {
    let solvers = Run::of(buttress(&root()).env_remove("BUTTRESS_SOLVERS").arg("solvers")).stdout;
    let has_solver = solvers.lines().any(|line| !line.ends_with("not found"));
    let (mut count, mut wrong) = (0, Vec::new());
    for chapter in chapters() {
        let name = chapter.file_stem().expect("a name").to_string_lossy().into_owned();
        let scratch = workplace(&format!("book-{name}"));
        for Shown { command, output } in commands(&std::fs::read_to_string(&chapter).expect("a chapter")) {
            let foreign = LEFT_OUT.iter().any(|word| command.contains(word));
            if foreign || !has_its_models(&command, &scratch.0) {
                continue;
            }
            // What a chapter shows of a file is the file.
            if let Some(file) = command.strip_prefix("cat ").filter(|file| is_new(&scratch.0, file)) {
                std::fs::write(scratch.file(file), output.join("\n") + "\n").expect("a file");
            }
            let run = run(&command, &scratch.0);
            let needs_solver = run.all().contains("no SMT solver") && !has_solver;
            let missing = output
                .iter()
                .filter_map(|line| verdict(line))
                .find(|said| !run.stdout.lines().any(|line| verdict(line).as_ref() == Some(said)));
            if needs_solver {
                continue;
            }
            count += 1;
            if run.code == 2 || run.code == 127 || missing.is_some() {
                wrong.push(format!("{name}: {command}: {missing:?}\n{}", run.all()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 60, "only {count} commands were run");
}

#[test]
fn every_chapter_is_a_topic() {
    let summary = std::fs::read_to_string(root().join("docs/book/SUMMARY.md")).expect("the summary");
    let names = summary.lines().filter_map(|line| line.split_once("](")?.1.strip_suffix(".md)"));
    let all = Run::of(buttress(&root()).arg("help")).stdout;
    for name in names {
        let run = Run::of(buttress(&root()).args(["help", name]));
        let text = std::fs::read_to_string(root().join(format!("docs/book/{name}.md"))).expect("a chapter");
        assert!(run.code == 0 && run.stdout.contains(&text) && all.contains(name), "{name}: {}", run.stderr);
    }
    let check = Run::of(buttress(&root()).args(["help", "check"]));
    assert!(check.stdout.contains("--bmc-stride"), "{}", check.all());
    let mistyped = Run::of(buttress(&root()).args(["help", "egnines"]));
    assert!(mistyped.code == 2 && mistyped.stderr.contains("did you mean 'engines'?"), "{}", mistyped.all());
}

#[test]
fn manual_pages_and_completions_come_from_the_flags() {
    let scratch = Scratch::new("man");
    let run = Run::of(buttress(&root()).arg("man").arg(scratch.file("man")));
    assert_eq!(run.code, 0, "{}", run.all());
    let page = std::fs::read_to_string(scratch.file("man/buttress-check.1")).expect("the page");
    assert!(page.contains("\\-\\-bmc\\-stride") && page.contains(".TH"), "{page}");
    for command in ["buttress", "buttress-core", "buttress-as"] {
        assert!(scratch.file(&format!("man/{command}.1")).exists(), "{command}");
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = Run::of(buttress(&root()).args(["completions", shell]));
        assert!(run.code == 0 && run.stdout.contains("bmc-stride"), "{shell}: {}", run.stderr);
    }
    let script = Run::of(buttress(&root()).args(["completions", "bash"])).stdout;
    std::fs::write(scratch.file("script"), script).expect("a file");
    let read = Command::new("bash").arg("-n").arg(scratch.file("script")).status();
    assert!(read.expect("bash runs").success());
}
