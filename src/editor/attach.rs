//! The calls that make Neovim's core send a buffer's events, and stop them.

use nvim_rs::Neovim;
use rmpv::Value;

use super::RpcWriter;
use super::writer::{CallResult, ignore_lua_error};
use crate::mirror::ContactScope;

/// The calls that report the state of the buffer. If its text is needed, it comes between two of them: the first one
/// says whose text it is, the second one where the marks are in it.
pub(super) fn contact(buffer: u64, scope: ContactScope) -> Vec<Value> {
    let lua = "require('botglue.editor.capture').report(...)";
    let report = call("nvim_exec_lua", vec![lua.into(), Value::Array(vec![buffer.into()])]);
    if scope != ContactScope::Text {
        return vec![report];
    }
    let attach = call("nvim_buf_attach", vec![buffer.into(), true.into(), Value::Map(Vec::new())]);
    let mut calls = detach(buffer);
    // Neovim sends the text to those alone that are not attached.
    calls.extend([report.clone(), attach, report]);
    calls
}

/// The calls after which nothing comes. To one who is not attached they do nothing.
pub(super) fn detach(buffer: u64) -> Vec<Value> {
    vec![call("nvim_buf_detach", vec![buffer.into()])]
}

fn call(function: &str, arguments: Vec<Value>) -> Value {
    Value::Array(vec![function.into(), Value::Array(arguments)])
}

/// Makes the calls, and returns whether all of them succeeded.
pub(super) async fn make(
    neovim: Neovim<RpcWriter>,
    calls: Vec<Value>,
    done: Box<dyn FnOnce(bool) + Send>,
) -> CallResult {
    let results = ignore_lua_error("call_atomic", neovim.call_atomic(calls).await)?;
    // The results, and then the error that ended them.
    let went_well = results.is_some_and(|results| results.get(1).is_some_and(Value::is_nil));
    tracing::debug!(went_well, "several calls at once");
    done(went_well);
    Ok(())
}
