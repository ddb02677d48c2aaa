//! What loading the plugin costs: nothing of it runs before somebody uses it.

use serde_json::json;

use crate::support::nvim::Builder;
use crate::support::process;
use crate::support::scratch::Scratch;

#[test]
fn loading_requires_no_module_and_starts_no_process() {
    let nvim = Builder::new(Scratch::new()).start();
    assert_eq!(nvim.exec("return vim.fn.exists(':Botglue')"), 2, "the plugin is loaded");
    let loaded = "return vim.tbl_filter(function(name) return name:find('^botglue') end, vim.tbl_keys(package.loaded))";
    assert_eq!(nvim.exec(loaded), json!([]));
    let running: Vec<u32> = process::of(&nvim.scratch).iter().map(|process| process.pid).collect();
    assert_eq!(running, [nvim.pid()]);
}
