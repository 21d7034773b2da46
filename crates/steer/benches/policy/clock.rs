//! CPU time of this thread: shares of it mean something on a machine that others use too.

use std::time::Duration;

use criterion::Bencher;

/// Nanoseconds that this thread has been running, from Linux; elsewhere the time of the day has to do.
fn running() -> Duration {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = spent.and_then(|text| text.split_whitespace().next()?.parse().ok()).map(Duration::from_nanos);
    spent.unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.unwrap_or_default()
    })
}

/// The kernel counts in ticks of up to 4 ms, so what is measured has to take many.
const ENOUGH: Duration = Duration::from_millis(40);

/// Measures `work` in CPU time.
pub(crate) fn measure(bencher: &mut Bencher<'_>, mut work: impl FnMut() -> usize) {
    bencher.iter_custom(|times| {
        let (start, mut rounds) = (running(), 0);
        loop {
            for _ in 0..times {
                std::hint::black_box(work());
            }
            rounds += 1;
            let spent = running().saturating_sub(start);
            if spent >= ENOUGH {
                return spent / rounds;
            }
        }
    });
}
