//! The steps that the host compiles, written by a real Neovim: whatever rows become, those beside them keep their marks,
//! and undo brings all of them back. What else a write keeps: `write_keeps_spec`.

use std::ops::Range;

use botglue::document::Place;
use botglue::land::RowEdit;
use botglue::mirror::{Settlement, WriteCall, WriteStep};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use rmpv::Value;

use crate::support::DEADLINE;
use crate::support::nvim::Builder;
use crate::support::scratch::Scratch;

type Row = Vec<u8>;

const CASES: u64 = 2000;
const ROWS: [&[u8]; 10] =
    [b"a", b"b", b"", "é".as_bytes(), b"xy", "xéy".as_bytes(), b"x\0y", b"x\xc3", b"ayb", b"\x80\x80"];

/// Writes cases; each has the rows, the call, the rows afterwards, and where rows that stay were and are.
const WRITE: &str = r#"
    local api, apply = vim.api, require("botglue.apply")
    local ns = api.nvim_create_namespace("other")
    local function becomes(command, expected)
      vim.cmd("silent " .. command)
      return vim.deep_equal(api.nvim_buf_get_lines(0, 0, -1, true), expected)
    end
    for _, case in ipairs(...) do
      local rows, call, expected, stay = unpack(case)
      api.nvim_buf_set_lines(0, 0, -1, false, rows)
      for i, at in ipairs(stay) do
        api.nvim_buf_set_extmark(0, ns, at[1], 0, { id = i })
        api.nvim_buf_set_mark(0, ("abcdef"):sub(i, i), at[1] + 1, 0, {})
      end
      call.tick = vim.b.changedtick
      local reply = apply.write(call)
      local got = api.nvim_buf_get_lines(0, 0, -1, false)
      if reply.state ~= "done" or reply.steps[1].state ~= "written" or not vim.deep_equal(got, expected) then
        return vim.inspect({ case, reply, got })
      end
      for i, at in ipairs(stay) do
        local extmark = api.nvim_buf_get_extmark_by_id(0, ns, i, {})
        local mark = api.nvim_buf_get_mark(0, ("abcdef"):sub(i, i))
        if extmark[1] ~= at[2] or extmark[2] ~= 0 or mark[1] ~= at[2] + 1 then
          return vim.inspect({ case, at, extmark, mark })
        end
      end
      if reply.steps[1].from ~= reply.tick and not (becomes("undo", rows) and becomes("redo", expected)) then
        return vim.inspect({ case, "undo" })
      end
    end
"#;

/// What some rows become: ascending, with a row or more between them.
type Changes = Vec<(Range<usize>, Vec<Row>)>;

/// Rows, and changes of them.
fn cases() -> impl Strategy<Value = (Vec<Row>, Changes)> {
    let rows = |count| proptest::collection::vec(select(&ROWS[..]).prop_map(<[u8]>::to_vec), count);
    let edits = proptest::collection::vec((0..3_usize, 0..4_usize, rows(0..5)), 0..4);
    (rows(1..7), edits).prop_map(|(text, drawn)| {
        let (mut edits, mut from) = (Vec::new(), 0);
        for (gap, count, lines) in drawn {
            let first = from + gap;
            if first <= text.len() {
                let past = (first + count).min(text.len());
                edits.push((first..past, lines));
                from = past + 1;
            }
        }
        (text, edits)
    })
}

fn value(rows: &[Row]) -> Value {
    Value::Array(rows.iter().map(|row| Value::Binary(row.clone())).collect())
}

/// The argument for a case; none where no row would be left.
fn argument(job: u64, text: &[Row], changes: &[(Range<usize>, Vec<Row>)]) -> Option<Value> {
    let (mut expected, mut stay, mut edits, mut past) = (Vec::new(), Vec::new(), Vec::new(), 0);
    let end = (text.len()..text.len(), Vec::new());
    for (rows, lines) in changes.iter().chain([&end]) {
        for (row, kept) in text.iter().enumerate().take(rows.start).skip(past) {
            stay.push(Value::Array(vec![row.into(), expected.len().into()]));
            expected.push(kept.clone());
        }
        expected.extend(lines.iter().cloned());
        past = rows.end;
    }
    for (rows, lines) in changes {
        let read = |row: Option<usize>| row.and_then(|row| text.get(row)).map(|row| row[..].into());
        let old = text[rows.clone()].iter().map(|row| row[..].into()).collect();
        let (above, below) = (read(rows.start.checked_sub(1)), read(Some(rows.end)));
        let (rows, lines) = (rows.clone(), lines.clone());
        edits.push(RowEdit { rows, old, above, below, lines, around: None, column: None });
    }
    let (settlement, place) = (Settlement::Written { is_merged: false }, Place::Lines(0..1));
    let call = WriteCall { tick: 0, steps: vec![WriteStep { job, attempt: 1, settlement, edits, place }] };
    let case = [value(text), call.value(1), value(&expected), Value::Array(stay)];
    (!expected.is_empty()).then(|| Value::Array(case.to_vec()))
}

#[test]
fn whatever_rows_become_those_beside_them_keep_their_marks_and_undo_brings_all_back() {
    let nvim = Builder::new(Scratch::new()).start();
    let mut runner = TestRunner::deterministic();
    let arguments = (1..=CASES).filter_map(|job| {
        let (text, changes) = cases().new_tree(&mut runner).unwrap().current();
        argument(job, &text, &changes)
    });
    let arguments = Value::Array(vec![Value::Array(arguments.collect())]);
    let wrong = nvim.channel.call("nvim_exec_lua", vec![WRITE.into(), arguments], DEADLINE);
    assert_eq!(wrong.as_ref().map(botglue::fields::json), Ok(serde_json::Value::Null));
}
