//! Values under small stable numbers; the numbers of removed values are reused.

/// A growing array with holes.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    values: Vec<T>,
    free: Vec<u32>,
}

impl<T> Slab<T> {
    pub(crate) fn new() -> Self {
        Self { values: Vec::new(), free: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len() - self.free.len()
    }

    pub(crate) fn insert(&mut self, value: T) -> u32 {
        if let Some(index) = self.free.pop() {
            self.values[index as usize] = value;
            return index;
        }
        self.values.push(value);
        (self.values.len() - 1) as u32
    }

    /// Removes the value at `index` and leaves `hole` there.
    pub(crate) fn remove(&mut self, index: u32, hole: T) -> T {
        self.free.push(index);
        std::mem::replace(&mut self.values[index as usize], hole)
    }

    /// One past the largest number in use.
    pub(crate) fn end(&self) -> u32 {
        self.values.len() as u32
    }
}

impl<T> std::ops::Index<u32> for Slab<T> {
    type Output = T;

    fn index(&self, index: u32) -> &T {
        &self.values[index as usize]
    }
}

impl<T> std::ops::IndexMut<u32> for Slab<T> {
    fn index_mut(&mut self, index: u32) -> &mut T {
        &mut self.values[index as usize]
    }
}
