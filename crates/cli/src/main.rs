fn main() -> std::process::ExitCode {
    buttress::main()
}
