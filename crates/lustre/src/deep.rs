//! Room for deep recursion: expressions of real models are nested thousands of levels deep.

/// Enough for [`crate::parser::DEPTH`] levels in every phase; pages that are not used cost nothing.
const STACK: usize = 1 << 30;

/// Runs `work` on a thread with a large stack.
pub(crate) fn run<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        match thread.expect("a thread can be started").join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
