#!/usr/bin/env bash
set -euo pipefail

target=${1:?usage: backup.sh TARGET}
keep=7

log() {
  printf '%s %s\n' "$(date +%FT%T)" "$*" >&2
}

newest() {
  ls -1t "$target" | head -n 1
}

if [ ! -d "$target" ]; then
  log "creating $target"
  mkdir -p "$target"
fi

for folder in "$HOME/notes" "$HOME/photos"; do
  if [ ! -d "$folder" ]; then
    log "skipped $folder"
    continue
  fi
  name=$(basename "$folder")
  archive="$target/$name-$(date +%F).tar.gz"
  if [ -e "$archive" ]; then
    log "$archive exists"
  else
    tar czf "$archive" "$folder"
    log "wrote $archive"
  fi
done

count=$(ls -1 "$target" | wc -l)
while [ "$count" -gt "$keep" ]; do
  oldest=$(ls -1t "$target" | tail -n 1)
  rm -- "$target/$oldest"
  count=$((count - 1))
done
