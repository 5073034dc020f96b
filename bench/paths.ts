import { join } from 'node:path'

const BENCH = import.meta.dirname

/** Our crawler as a user runs it. */
export const ORBWEAVER = join(BENCH, '..', 'bin', 'orbweaver.js')

export const RESULTS = join(BENCH, 'results.md')

export function peerScript(name: string): string {
  return join(BENCH, 'peers', name)
}

export function peerPackage(name: string): string {
  return join(BENCH, 'node_modules', name, 'package.json')
}
