/**
 * The folder where Orbweaver remembers facts about crawl directories: which ones this user created or trusts,
 * and which files were already checked. It lies outside of every crawl directory, because a directory may
 * come from somebody else and cannot vouch for itself.
 */
import { homedir } from 'node:os'
import { join } from 'node:path'

/** `ORBWEAVER_STATE`, or the place the system provides for such files. The folder may not exist yet. */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env.ORBWEAVER_STATE) return env.ORBWEAVER_STATE
  if (env.XDG_STATE_HOME) return join(env.XDG_STATE_HOME, 'orbweaver')
  if (process.platform === 'win32' && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, 'orbweaver')
  return join(homedir(), '.local', 'state', 'orbweaver')
}
