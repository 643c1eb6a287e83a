//! Replay in the language of the user.

use super::WordTrace;

/// A front end that can execute its source without the system it was translated to. A check may ask it for a
/// second opinion on every trace, so that a mistake in the translation cannot become a verdict.
pub trait Replay: Send + Sync {
    /// Executes a trace of the translated system in the source: every constraint must hold in every step, and the
    /// trace's property must be violated in the last one. Otherwise it says what is not as it should be.
    fn replay(&self, trace: &WordTrace) -> Result<(), String>;
}
