fn main() -> std::process::ExitCode {
    buttress_cli::main()
}
