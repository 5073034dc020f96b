/** `npm run docs`: writes the generated pages of docs/reference/. */
import { writeFileSync } from 'node:fs'
import { GENERATED } from './reference/pages.js'

for (const [name, make] of Object.entries(GENERATED))
  writeFileSync(new URL(`../docs/reference/${name}`, import.meta.url), make())
