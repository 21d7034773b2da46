//! One table a site: every kind of page with its type, its template and its address.
//!
//! A row belongs to a *class* of things (`User`, `Thread`, or `Once` for pages that a site has once). A plan says for
//! each class how many members it has, how a member is named in addresses and what it is about; reading, writing,
//! existence, listing, type and truth of all pages follow from that and are implemented once, in [`super::hosted`].
//! [`site_map!`] makes the two enums and the table:
//!
//! ```text
//! site_map! {
//!     /// A page of the forum.
//!     ForumPage of ForumClass [Once, User, Thread]
//!     Once   { Home    List    "home"    "/"; }
//!     User   { Member  Profile "member"  "/node/{}" users;
//!              Started List    "started" "/node/{}/threads"; }
//!     Thread { Thread  Detail  "thread"  "/node/{}" users; }
//! }
//! ```
//!
//! In an address `{}` is the member, `{part}` the part of it (a season of a league), `{page}` the page of a list where
//! it is not a query parameter, and any other slot a decorative word. Rows in one pair of braces are listed member by
//! member; `users` marks pages that users made.

use osprey_model::PageType;

/// A page of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageId<K> {
    pub(crate) kind: K,
    /// The member of the kind's class; 0 for pages that exist once.
    pub(crate) id: u64,
    /// Which of the member's parts, from 0.
    pub(crate) part: u64,
    /// The page of a list, from 1.
    pub(crate) page: u64,
}

/// A row of the table.
pub(crate) struct Row<K: PageKind> {
    pub(crate) class: K::Class,
    pub(crate) page_type: PageType,
    pub(crate) template: &'static str,
    pub(crate) address: &'static str,
    /// Whether users made these pages.
    pub(crate) by_users: bool,
    /// Whether the row begins a group that is listed member by member.
    pub(crate) begins: bool,
}

impl<K: PageKind> Row<K> {
    /// Whether its pages are of a member's parts.
    pub(crate) fn has_parts(&self) -> bool {
        self.address.contains("{part}")
    }
}

/// The kinds of page of a site, made by [`site_map!`].
pub(crate) trait PageKind: Copy + Eq + Send + Sync + 'static {
    /// What pages are about.
    type Class: Copy + Eq + Send + Sync + 'static;

    /// Every kind, in the order of the table.
    const ALL: &'static [Self];

    /// The kind's row.
    fn row(self) -> &'static Row<Self>;

    /// The page of a member, or the first of its list.
    fn of(self, id: u64) -> PageId<Self> {
        PageId { kind: self, id, part: 0, page: 1 }
    }

    /// A page of a member's list.
    fn page(self, id: u64, page: u64) -> PageId<Self> {
        PageId { page, ..self.of(id) }
    }

    /// The page of a part of a member.
    fn part(self, id: u64, part: u64) -> PageId<Self> {
        PageId { part, ..self.of(id) }
    }

    /// The page that exists once, or the first of its list.
    fn first(self) -> PageId<Self> {
        self.of(0)
    }
}

/// Declares the kinds of page of a site; see the head of this file.
macro_rules! site_map {
    (
        $(#[$doc:meta])*
        $page:ident of $class:ident [$($name:ident),* $(,)?]
        $($of:ident {
            $first:ident $first_type:ident $first_template:literal $first_address:literal $($first_by:ident)?;
            $($kind:ident $type:ident $template:literal $address:literal $($by:ident)?;)*
        })*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $page { $($first, $($kind,)*)* }

        /// What its pages are of.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $class { $($name),* }

        impl $crate::kinds::site_map::PageKind for $page {
            type Class = $class;
            const ALL: &'static [Self] = &[$(Self::$first, $(Self::$kind,)*)*];

            fn row(self) -> &'static $crate::kinds::site_map::Row<Self> {
                use $crate::kinds::site_map::Row;
                match self {
                    $(
                        Self::$first => &Row {
                            class: $class::$of,
                            page_type: osprey_model::PageType::$first_type,
                            template: $first_template,
                            address: $first_address,
                            by_users: site_map!(@by $($first_by)?),
                            begins: true,
                        },
                        $(Self::$kind => &Row {
                            class: $class::$of,
                            page_type: osprey_model::PageType::$type,
                            template: $template,
                            address: $address,
                            by_users: site_map!(@by $($by)?),
                            begins: false,
                        },)*
                    )*
                }
            }
        }
    };
    (@by users) => { true };
    (@by) => { false };
}

pub(crate) use site_map;
