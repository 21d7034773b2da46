//! Parallel work on many items, on all cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Does `work` for all `items`, each thread with a state of its own, and gives the results in their order.
pub fn on_all_cores<T: Sync, R: Send, S>(
    items: &[T],
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> R + Sync,
) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut state = state();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(number) else { return };
                    let result = work(&mut state, item);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..1000).collect();
        let doubled = on_all_cores(
            &items,
            || 0_u32,
            |count, item| {
                *count += 1;
                item * 2
            },
        );
        assert_eq!(doubled, (0..1000).map(|n| n * 2).collect::<Vec<_>>());
        assert_eq!(on_all_cores(&[], || (), |(), item: &u32| *item), Vec::<u32>::new());
    }
}
