/** Preloaded into the crawling process (`--import`): says at the end how much memory it took at most. */
import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const file = process.env.ORBWEAVER_TEST_PEAK_FILE
if (isMainThread && file)
  process.on('exit', () => writeFileSync(file, String(process.resourceUsage().maxRSS * 1024)))
