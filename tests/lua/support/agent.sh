#!/bin/sh
# An agent that a spec steers: once it has its message, the first line of which it keeps, what is written to the FIFO that is its first argument it
# prints, line by line; a line that says `exit N` ends it with that code. Without one it ends when the spec does.
IFS= read -r message
printf '%s\n' "$message" > "$1.part" && mv "$1.part" "$1.message"
while IFS= read -r line; do
  case $line in
    "exit "*) exit "${line#exit }" ;;
    *) printf '%s\n' "$line" ;;
  esac
done < "$1"
