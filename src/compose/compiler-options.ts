import { setFlagsFromString } from 'node:v8'

/**
 * For a process that ends within a second or so. There V8 spends more on optimizing our loops than they run:
 * functions built into their callers and first turns of loops taken out are compiled over and over for code
 * that is soon done. Without both, a fast partition takes a fifth less CPU; one of several seconds takes as
 * long as before.
 */
export function limitCompiler(): void {
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=100')
  setFlagsFromString('--no-turbo-loop-peeling')
}
