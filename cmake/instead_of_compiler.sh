#!/bin/sh
# Runs another compiler than the one that the build system names.
# usage: instead_of_compiler.sh COMMAND... -- COMPILER ARGUMENT...     runs COMMAND... ARGUMENT...
arguments=$#
while [ "$1" != -- ]; do # the command moves behind the arguments
  set -- "$@" "$1"
  shift
  arguments=$((arguments - 1))
done
shift 2
arguments=$((arguments - 2))
while [ "$arguments" -gt 0 ]; do # and the arguments behind the command
  set -- "$@" "$1"
  shift
  arguments=$((arguments - 1))
done
exec "$@"
