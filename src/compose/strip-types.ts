/** Lets this process import TypeScript, where Node does not: its `load` hook leaves the types out. */
import type { LoadFnOutput, LoadHookContext } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isTypeScript, readGuestCode } from '../page/guest/index.js'

type Next = (url: string, context: LoadHookContext) => LoadFnOutput | Promise<LoadFnOutput>

export async function load(url: string, context: LoadHookContext, next: Next): Promise<LoadFnOutput> {
  if (!url.startsWith('file:') || !isTypeScript(new URL(url).pathname)) return next(url, context)
  return { format: 'module', shortCircuit: true, source: await readGuestCode(fileURLToPath(url)) }
}
