//! The result of a clustering. The partition does not depend on the order of the pages.

use crate::notes::ClusterNote;
use crate::space::Weighting;

/// The cluster of each page.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Clustering {
    /// For each page, in the order of the input, its cluster; `None` for an outlier.
    pub labels: Vec<Option<u32>>,
    /// How many clusters there are; labels are `0..clusters`, the largest cluster first.
    pub clusters: usize,
    /// The distance up to which pages are neighbours, where the clustering has one.
    pub eps: Option<f64>,
    /// How the paths were weighted.
    pub weighting: Weighting,
    /// What could not be learned.
    pub notes: Vec<ClusterNote>,
}

impl Clustering {
    /// How many pages are in no cluster.
    pub fn outliers(&self) -> usize {
        self.labels.iter().filter(|label| label.is_none()).count()
    }

    /// Numbers groups by size, the largest first; of equally large ones the lower group number comes first.
    pub(crate) fn from_groups(of_page: &[Option<usize>]) -> Self {
        let groups = of_page.iter().flatten().max().map_or(0, |last| last + 1);
        let mut sizes: Vec<(usize, usize)> = (0..groups).map(|group| (0, group)).collect();
        for &group in of_page.iter().flatten() {
            sizes[group].0 += 1;
        }
        sizes.retain(|&(size, _)| size > 0);
        sizes.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut names = vec![None; groups];
        for (name, &(_, group)) in (0_u32..).zip(&sizes) {
            names[group] = Some(name);
        }
        let labels = of_page.iter().map(|group| group.and_then(|group| names[group])).collect();
        Self { labels, clusters: sizes.len(), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_group_is_the_first() {
        let clustering = Clustering::from_groups(&[Some(4), None, Some(2), Some(2), Some(0)]);
        assert_eq!(clustering.labels, [Some(2), None, Some(0), Some(0), Some(1)]);
        assert_eq!((clustering.clusters, clustering.outliers()), (3, 1));
        assert_eq!(Clustering::from_groups(&[]), Clustering::default());
    }
}
