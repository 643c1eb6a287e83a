fn main() {
    let mut bad = 0;
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let t = std::time::Instant::now();
        let (_, f) = std::thread::Builder::new().stack_size(1 << 28).spawn(move || buttress_lustre::parse(&text)).unwrap().join().unwrap();
        let _ = t;
        if f.has_errors() {
            bad += 1;
            let text = std::fs::read_to_string(&path).unwrap();
            let s = buttress_lustre::source::Source::new(text);
            for d in f.diagnostics(&s) { println!("{}", d.render(&path)); }
        }
    }
    println!("{bad} bad");
}
