//! Sorts more lines than fit into memory: sorted runs in temporary files, merged at the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Lines, Seek, Write};

/// Maximum number of bytes of lines in memory.
const IN_MEMORY: usize = 64 << 20;

/// Takes lines in any order and returns them in byte order, without duplicates.
#[derive(Debug)]
pub(super) struct LineSorter {
    lines: Vec<String>,
    bytes: usize,
    limit: usize,
    runs: Vec<File>,
}

impl LineSorter {
    pub(super) fn new() -> Self {
        Self::with_limit(IN_MEMORY)
    }

    fn with_limit(limit: usize) -> Self {
        Self { lines: Vec::new(), bytes: 0, limit, runs: Vec::new() }
    }

    /// Adds a line, which must not contain a line feed.
    pub(super) fn push(&mut self, line: String) -> io::Result<()> {
        self.bytes += line.len() + size_of::<String>();
        self.lines.push(line);
        if self.bytes >= self.limit { self.write_run() } else { Ok(()) }
    }

    fn write_run(&mut self) -> io::Result<()> {
        self.lines.sort_unstable();
        let mut out = BufWriter::new(tempfile::tempfile()?);
        for line in self.lines.drain(..) {
            writeln!(out, "{line}")?;
        }
        let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        self.runs.push(file);
        self.bytes = 0;
        Ok(())
    }

    /// Passes all lines to `each`, in order.
    pub(super) fn finish(mut self, mut each: impl FnMut(&str) -> io::Result<()>) -> io::Result<()> {
        self.lines.sort_unstable();
        let mut memory = std::mem::take(&mut self.lines).into_iter();
        let mut runs: Vec<Lines<BufReader<File>>> =
            self.runs.into_iter().map(|file| BufReader::new(file).lines()).collect();
        let from_memory = runs.len();
        let mut heap = BinaryHeap::new();
        for (number, run) in runs.iter_mut().enumerate() {
            heap.extend(run.next().transpose()?.map(|line| Reverse((line, number))));
        }
        heap.extend(memory.next().map(|line| Reverse((line, from_memory))));
        let mut last: Option<String> = None;
        while let Some(Reverse((line, number))) = heap.pop() {
            let next = match runs.get_mut(number) {
                Some(run) => run.next().transpose()?,
                None => memory.next(),
            };
            heap.extend(next.map(|line| Reverse((line, number))));
            if last.as_deref() != Some(line.as_str()) {
                each(&line)?;
                last = Some(line);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_in_memory_and_on_disk() {
        for limit in [1, 60, 1 << 20] {
            let mut sorter = LineSorter::with_limit(limit);
            for line in ["c", "a", "b", "a", "", "z", "aa"] {
                sorter.push(line.to_owned()).unwrap();
            }
            let mut sorted = Vec::new();
            sorter
                .finish(|line| {
                    sorted.push(line.to_owned());
                    Ok(())
                })
                .unwrap();
            assert_eq!(sorted, ["", "a", "aa", "b", "c", "z"], "{limit}");
        }
    }
}
