#!/bin/sh
# An agent that a spec steers: keeps its message beside the FIFO that is its first argument: of Claude's protocol the first
# line, of plain text all. What is written to the FIFO it prints, line by line; a line that says `exit N` ends it with that
# code. Without one it ends when the spec does.
case $2 in
  text) cat ;;
  *) IFS= read -r message && printf '%s\n' "$message" ;;
esac > "$1.part" && mv "$1.part" "$1.message"
while IFS= read -r line; do
  case $line in
    "exit "*) exit "${line#exit }" ;;
    *) printf '%s\n' "$line" ;;
  esac
done < "$1"
