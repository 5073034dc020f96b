/**
 * Hooks as a module. Plain JavaScript needs only `--hooks my-hooks.js`. In this repository, TypeScript needs
 * a loader: `NODE_OPTIONS='--import tsx' npx orbweaver crawl https://example.org --hooks
 * docs/examples/hooks.ts`
 */
import type { CrawledPage } from 'orbweaver'

/** No calendars. */
export function accept(url: string): boolean {
  return !url.includes('/calendar/')
}

/** Documentation first. */
export function score(url: string): number {
  return url.includes('/docs/') ? 1 : 0
}

export function onPage(page: CrawledPage): void {
  if (page.title === '') console.warn(`no title: ${page.url}`)
}
