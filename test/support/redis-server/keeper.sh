# Ends what a test process left behind, however that process ended: SIGKILL runs no exit handler.
# Reads "+ kind id" and "- kind id" lines until the other end of its input is gone.
trap '' HUP INT TERM
left=''
while read -r sign entry; do
  if [ "$sign" = + ]; then
    left=$(printf '%s\n%s' "$left" "$entry")
  else
    left=$(printf '%s\n' "$left" | grep -vxF -e "$entry")
  fi
done
printf '%s\n' "$left" | while read -r kind id; do
  case $kind in
    pid) kill -KILL "$id" ;;
    container) docker rm --force "$id" ;;
    folder) rm -rf -- "$id" ;;
  esac
done
