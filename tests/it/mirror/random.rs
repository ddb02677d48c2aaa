//! Random keys, Ex commands and Lua edits: after each step the mirror equals the buffer.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::editor::Editor;
use crate::support::DEADLINE;
use crate::support::nvim::Nvim;
use crate::support::rpc::from_json;

/// How many steps one Neovim takes.
const ROUND: u64 = 100;

const KEYS: &[&str] = &[
    "dd",
    "ddp",
    "ddkP",
    "3dd",
    "dap",
    "dip}p",
    "D",
    "x",
    "xp",
    "~",
    "guu",
    "g??",
    "yyp",
    "yyP",
    "ggyGP",
    "2ddp",
    "P",
    "p",
    "J",
    "3J",
    "gJ",
    "vipJ",
    "VjJ",
    "gqip",
    "gqj",
    "=G",
    ">>",
    "<<",
    ">ip",
    "<C-a>",
    "!!cat<CR>",
    "!}sort<CR>",
    "u",
    "u",
    "3u",
    "<C-r>",
    "<C-r>",
    "2<C-r>",
    "U",
    "g-",
    "g-",
    "g+",
    "ddu<C-r>u",
    "ddjdd2u",
    "yypkddu",
    "ixy<Esc>u",
    ".",
    "qaddjpq",
    "3@a",
    "qaA;<Esc>jq",
    "2@a",
    "qbyypq",
    "@b",
    "ggdG",
    "VGc<Esc>u",
    "Vjd",
    "Vj:m0<CR>",
    "V:m$<CR>",
    "ccnew<Esc>",
    "onew text<Esc>",
    "Onew<CR>two<Esc>",
    "A more<Esc>",
    "ihe<CR>re<Esc>",
    "I<BS>x<Esc>",
    "3oq<Esc>",
    "Rxyz<Esc>",
    "gRxy<Tab>z<Esc>",
    "A some words that are wrapped at the width<Esc>",
    "ab<C-w><C-u>c<Esc>",
    "<C-v>jjIzz<Esc>",
    "<C-v>jjd",
    "<C-v>jj$A!<Esc>",
    "<C-v>jcq<Esc>",
    "<C-v>jy2jp",
    "<C-v>j:s/e/E/<CR>",
    "or<C-n><C-n><Esc>",
    "ix<C-n><C-n><C-e><Esc>",
    "oa<C-g>ub<C-g>uc<Esc>",
    "o<C-r>\"<Esc>",
    "A<C-o>dd<Esc>",
    "i<Up>x<Down>y<Esc>",
    "i<C-r>=\"a\\nb\"<CR><Esc>",
    "i<C-r>=\"\\xff\"<CR><Esc>",
    "A<C-r>=\"\\xc3\\x28\"<CR><Esc>",
    "I\u{e9}<Esc>",
    "zfjzcddzE",
    "zfjzcpzE",
    "cip<CR>y<Esc>",
    "ggVG:s/e/E/<CR>",
    "V:normal! A+<CR>",
    ":.,+1!tac<CR>",
];

const COMMANDS: &[&str] = &[
    "m0",
    "m$",
    "1,2m$",
    "t.",
    "t0",
    "copy $",
    "1,2d|1put|undo|redo",
    "%d",
    "2,3j",
    "sort",
    "sort!",
    "sort n",
    "%sort u",
    "%s/e/q/e",
    "%s/q/e/e",
    "%s/^/  /",
    "%s/^  //e",
    "%s/$/\\r/e",
    "%s/\\n//e",
    "%left 3",
    "%center 20",
    "retab!",
    "%>",
    "g/1/d",
    "g/./m0",
    "g/2/t.",
    "g/e/normal! ddp",
    "g/1/s/$/ x/",
    "v/e/d",
    "g/^/m0|undo",
    "%norm A;",
    "g/3/normal! yyP",
    "%!sort -r",
    ".!cat",
    "r !printf 'a\\nb'",
    "r !printf '\\377\\200\\n\\000x'",
    "%!rev",
    "1!false",
    "earlier 2",
    "later 2",
    "undo 0",
    "undo 3",
    "undo 5|undo 1",
    "earlier 1f",
    "normal! ddpu",
    "undojoin|normal! x",
    "w",
    "w|e!",
    "e!",
    "e",
    "w|e",
    "edit ++enc=latin1",
    "e ++ff=dos",
    "setlocal ff=dos",
    "setlocal ff=unix",
    "setlocal bomb!",
    "w|call writefile(readfile(expand('%'))+['more '.line('$')],expand('%'))|checktime",
    "w|call writefile(reverse(readfile(expand('%'))),expand('%'))|e",
    "w|call writefile(0zFFFE410A42C30A,expand('%'))|e!",
    "bunload!",
    "bdelete!",
    "bwipeout!",
    "enew!",
    "edit! other.txt",
    "file renamed.txt",
    "file mirrored.txt",
    "w! copy.txt",
    "saveas! saved.txt",
    "1put =['p','q']",
    "call append(0,['ap','aq'])",
    "call setline(1,['s1','s2'])",
    "call setline(2,\"\\xff\\xfe\")",
    "call deletebufline('%',1,2)",
    "0read mirrored.txt",
    "setlocal noma|silent! exe 'normal! dd'|setlocal ma",
    "new|wincmd p|normal! dd",
    "let b=bufnr()|new|call setbufline(b,1,'sb')|call appendbufline(b,'$','ab')|q!",
    "doautocmd BufReadPost",
    "lockmarks 1m$",
    "keepjumps g/e/m0|undo",
    "let &ul=&ul",
    "checktime",
    "diffthis|diffoff",
    "wundo! undo.file|silent! rundo undo.file",
    "set ul=-1|normal! x|set ul=1000",
    "s/e/E/|&&",
    "1,3normal! J",
];

const LUA: &[&str] = &[
    "local rows = vim.api.nvim_buf_get_lines(0, 0, -1, true)
     vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.tbl_map(function(row) return '  ' .. row end, rows))",
    "local rows = vim.api.nvim_buf_get_lines(0, 0, -1, true)
     for i, row in ipairs(rows) do rows[i] = row:gsub('^%s+', '\\t') end
     table.insert(rows, 1, '// head')
     vim.api.nvim_buf_set_lines(0, 0, -1, true, rows)",
    "vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.api.nvim_buf_get_lines(0, 0, -1, true))",
    "vim.api.nvim_buf_set_lines(0, 0, -1, true, {})",
    "vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'lua a', 'lua \\255\\192b' })",
    "vim.api.nvim_buf_set_lines(0, -2, -1, true, { 'a\\0b', 'c\\rd', '\\237\\160\\128' })",
    "vim.api.nvim_buf_set_text(0, 0, 0, 0, 0, { 't\\254', 'u' })",
    "vim.api.nvim_buf_set_text(0, 0, 0, math.min(2, vim.api.nvim_buf_line_count(0) - 1), 0, { '' })",
    "vim.lsp.util.apply_text_edits({ { range = { start = { line = 0, character = 0 },
       ['end'] = { line = 1, character = 0 } }, newText = 'lsp\\nx\\n' } }, vim.api.nvim_get_current_buf(), 'utf-8')",
    "vim.api.nvim_put({ 'put1', 'put2' }, 'l', true, true)",
    "vim.api.nvim_put({ 'bl', 'ck' }, 'b', true, true)",
    "vim.api.nvim_paste('pa\\nste\\255', true, -1)",
    "vim.fn.setreg('a', { 'r1', 'r2' }, 'V'); vim.cmd('normal! \"ap')",
    "vim.api.nvim_buf_call(0, function() vim.cmd('silent! normal! Gdd') end)",
    "vim.snippet.expand('for $1 in $2\\n\\t$0\\nend'); vim.cmd.stopinsert(); vim.snippet.stop()",
    "function _G.formatted()
       local first, last = vim.v.lnum - 1, vim.v.lnum - 1 + vim.v.count
       local rows = vim.api.nvim_buf_get_lines(0, first, last, true)
       vim.api.nvim_buf_set_lines(0, first, last, true, vim.list_extend({ 'formatted' }, rows))
       return 0
     end
     vim.bo.formatexpr = 'v:lua.formatted()'; vim.cmd('normal! gqj'); vim.bo.formatexpr = ''",
];

/// Typed: what they begin may go on in the next step. None opens the command-line window: what is run there may quit.
const INPUTS: &[&str] = &[
    ":%s/e/ZZ",
    ":%s/e/ZZ/g<Esc>",
    ":%s/\\d/Q<CR>",
    ":%s/r\\zs/\\r/",
    ":g/e/d<Esc>",
    ":%norm dd",
    ":s/$/ K<CR>",
    "<CR>",
    "<Esc>",
    "<Esc>",
    "<Esc>",
    "ityping <C-n>",
    "<C-n><C-n>",
    "<C-e>",
    "abc",
    "<BS><BS>",
    "oopen<CR>open2",
    "<C-v>jIq",
    "d",
    "d<Esc>",
    "\"",
    "<C-r>\"",
    "V",
    "jd",
    "3",
    "dd",
    "/e<CR>",
    "u",
    ":%s/e/E/gc<CR>ynq",
    ":%s/e/E/c<CR>ya",
    "a",
];

/// A deterministic source of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap()
    }

    fn one_of(&mut self, list: &[&'static str]) -> &'static str {
        list[self.below(list.len())]
    }
}

/// What is played, printed also where Neovim ends in the middle of it.
struct Story {
    seed: u64,
    steps: String,
}

impl Drop for Story {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("again with make soak SEED={}\n{}", self.seed, self.steps);
        }
    }
}

#[test]
fn the_mirror_equals_the_buffer_after_each_of_many_random_steps() {
    let number = |name: &str| std::env::var(name).ok().map(|value| value.parse::<u64>().unwrap());
    let first = number("BOTGLUE_MIRROR_SEED").unwrap_or(1);
    let steps = number("BOTGLUE_MIRROR_STEPS").unwrap_or(400);
    let failed: Vec<String> =
        (first..first + steps.div_ceil(ROUND)).filter_map(|seed| play(seed).err()).take(5).collect();
    assert!(failed.is_empty(), "again with make soak SEED=…\n{}", failed.join("\n"));
}

/// Plays the round of a seed.
fn play(seed: u64) -> Result<(), String> {
    let mut random = Random(seed.wrapping_mul(1_000_003));
    let mut text: Vec<u8> = Vec::new();
    for row in 0..8 {
        text.extend(format!("row {row} {}\n", ["one", "two", "three"][random.below(3)]).bytes());
    }
    text.extend(b"no UTF-8: \xff\xc3( \xed\xa0\x80\n\n}\n\ta tab\n");
    let mut editor = Editor::new(text);
    let mut story = Story { seed, steps: String::new() };
    for step in 1..=ROUND {
        let row = 1 + random.below(12);
        let home = editor.nvim.exec_with("return M.home(...)", &[editor.buffer.into(), row.into()]);
        editor.buffer = home.as_u64().unwrap();
        let (kind, what) = match random.below(10) {
            0..=3 => ("keys", random.one_of(KEYS)),
            4..=6 => ("command", random.one_of(COMMANDS)),
            7 => ("lua", random.one_of(LUA)),
            _ => ("input", random.one_of(INPUTS)),
        };
        _ = writeln!(story.steps, "{step} at {row}: {kind} {what}");
        act(&editor.nvim, kind, what);
        if let Some(fault) = editor.compare().fault() {
            return Err(format!("seed {seed}: {fault}\n{}", story.steps));
        }
    }
    // In the mode that it ends in it might not quit by itself.
    drop(editor.nvim.crash());
    Ok(())
}

/// Takes a step. What it raises does not matter; a question that it asks gets `<C-c>`.
fn act(nvim: &Nvim, kind: &str, what: &str) {
    let call = |method: &str, arguments: &[Json]| {
        // The wait below ends before that, with a report.
        nvim.channel().call(method, arguments.iter().map(from_json).collect(), 2 * DEADLINE)
    };
    std::thread::scope(|scope| {
        let step = scope.spawn(|| {
            match kind {
                "keys" => {
                    let code = "vim.api.nvim_feedkeys(vim.keycode(...), 'tx', false)";
                    _ = call("nvim_exec_lua", &[json!(code), json!([what])]);
                }
                "command" => _ = call("nvim_command", &[json!(format!("silent! {what}"))]),
                "lua" => _ = call("nvim_exec_lua", &[json!(what), json!([])]),
                _ => nvim.input(what),
            }
            // Messages of the step would have the user press <CR>, but only some time after its reply.
            _ = call("nvim_command", &[json!("redraw")]);
        });
        nvim.wait("the step is over, and Neovim waits for no key", || {
            let mode = nvim.call("nvim_get_mode", &[]);
            // Neovim handles calls while it asks something: it is not blocking then.
            let is_waiting =
                mode["blocking"] == true || mode["mode"].as_str().is_some_and(|mode| mode.starts_with('r'));
            if is_waiting {
                nvim.call("nvim_input", &["<C-c>".into()]);
            }
            !is_waiting && step.is_finished()
        });
    });
}
