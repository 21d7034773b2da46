//! Puts the experiments, corpora, labels and terms of the repository into the binary, so that adding one is adding a
//! file.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a build that cannot go on should stop")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let lab = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../lab");
    let mut code = String::new();
    for (folder, ending) in
        [("experiments", "toml"), ("corpora", "toml"), ("labels", "json"), ("terms", "toml")]
    {
        let folder_path = lab.join(folder);
        println!("cargo:rerun-if-changed={}", folder_path.display());
        let mut files: Vec<PathBuf> = fs::read_dir(&folder_path)
            .unwrap_or_else(|error| panic!("{}: {error}", folder_path.display()))
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == ending))
            .collect();
        files.sort();
        writeln!(code, "/// The files of `lab/{folder}`: name and text.").unwrap();
        writeln!(code, "pub(crate) const {}: &[(&str, &str)] = &[", folder.to_uppercase()).unwrap();
        for path in files {
            let name = path.file_stem().unwrap().to_str().unwrap();
            writeln!(code, "    ({name:?}, include_str!({:?})),", path.canonicalize().unwrap()).unwrap();
        }
        code.push_str("];\n");
    }
    fs::write(Path::new(&env::var("OUT_DIR").unwrap()).join("shipped.rs"), code).unwrap();
}
