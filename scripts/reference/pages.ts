/** The generated pages of docs/reference/. In: the tables in the source code. Out: Markdown by file name. */

import { EXIT_MEANINGS } from '../../src/cli/exit/exit-codes.js'
import { crawlOptions } from '../../src/cli/options/crawl-options.js'
import { FIELDS, OPTION_GROUPS, type OptionGroup, variableOf } from '../../src/config/index.js'
import { codesOf, type OutcomeCode, outcomeRule, TRAP_RULES } from '../../src/model/index.js'
import { page, sentence, table, wrap } from './markdown.js'

export const GENERATED: Readonly<Record<string, () => string>> = {
  'options.md': optionsPage,
  'outcomes.md': outcomesPage,
  'exit-codes.md': exitCodesPage,
}

function optionsPage(): string {
  const groups = Object.entries(OPTION_GROUPS) as [OptionGroup, string][]
  return page(
    'Options of `orbweaver crawl`',
    wrap(
      'A setting can be given as a flag, as an environment variable, in the JSON file that `--config` names, and in the library. ' +
        'Options without a setting are flags only; for `--listen` there is also the variable `ORBWEAVER_LISTEN`. ' +
        'A flag takes precedence over a variable, and a variable over the file. ' +
        '[Use a configuration file](../how-to/configuration-file.md) shows all of them. ' +
        'Sizes accept the units `k`, `M`, `G`, `Ki`, `Mi` and `Gi`. ' +
        'Options of the other commands are listed by `orbweaver COMMAND --help`.',
    ),
    ...groups.map(([group, title]) => [`## ${title}`, '', ...optionsOf(group)].join('\n')),
  )
}

function optionsOf(group: OptionGroup): string[] {
  const fields = Object.entries(FIELDS)
    .filter(([, field]) => field.group === group)
    .map(([key, { flag, help, fallback, isRepeatable }]) => {
      const repeated = isRepeatable ? ' May be repeated.' : ''
      const shown = fallback === undefined ? '' : ` Default: ${typed(fallback)}.`
      const names = ` Setting \`${key}\`, variable \`${variableOf(key)}\`.`
      return item(flag, `${sentence(help)}${repeated}${shown}${names}`)
    })
  const flags = new Set(Object.values(FIELDS).map(field => field.flag))
  const own = crawlOptions()
    .filter(({ group: of, option }) => of === group && !flags.has(option.flags))
    .map(({ option }) => item(option.flags, sentence(option.description)))
  return [...fields, ...own]
}

function item(flag: string, text: string): string {
  return wrap(`**\`${flag}\`**: ${text}`, '- ', '  ')
}

/** A default that can be typed is code, one in words is not. */
function typed(fallback: string): string {
  return /^[\w./<>-]+$/.test(fallback) ? `\`${fallback}\`` : fallback
}

function outcomesPage(): string {
  return page(
    'Outcome codes',
    wrap(
      'Every URL that leaves a queue has one of these codes: in the column `outcome` of the `pages` table, under `outcomes` ' +
        'in `report.json`, and in the summary of a crawl. `SITEMAP`, `SITEMAP_BAD` and `PROBE` are counted, but have no row in the table.',
    ),
    wrap(
      '*Requests* is the number of requests for one URL before the outcome is final; `--tries` lowers it. *First wait* is the time ' +
        'before the second request; it doubles with each further one. *Site* is the effect on the site. *dropped*: if the site never ' +
        'answered, its queue is given up. *busy*, *failing*: after several of them in a row, the crawler waits longer ' +
        'and finally parks the site ([politeness](../explanation/politeness.md)).',
    ),
    section('A response was received and archived', codesOf('stored')),
    section('No usable response', codesOf('failed')),
    section('No request was sent, or the content was not wanted', codesOf('refused')),
    wrap(
      'Each trap rule has its own code. `--traps no-NAME` switches the rule off. `TRAP:sitemaps` counts sitemaps beyond the limits ' +
        'of a site; it cannot be switched off.',
      '## Traps\n\n',
      '',
    ),
    table(
      ['code', 'meaning'],
      Object.entries(TRAP_RULES).map(([name, meaning]) => [`\`TRAP:${name}\``, meaning]),
    ),
  )
}

function section(title: string, codes: readonly OutcomeCode[]): string {
  const rows = codes.map(code => {
    const { tries, waitMs, dropsSite, strain, meaning, advice } = outcomeRule(code)
    const site = [dropsSite ? 'dropped' : '', strain === 'none' ? '' : strain].filter(Boolean).join(', ')
    const wait = tries > 1 ? `${waitMs / 1000} s` : '-'
    const what = `${meaning}${advice === undefined ? '' : `; ${advice}`}`
    return [`\`${code}\``, what, String(tries), wait, site || '-']
  })
  return `## ${title}\n\n${table(['code', 'meaning', 'requests', 'first wait', 'site'], rows)}`
}

function exitCodesPage(): string {
  return page(
    'Exit codes',
    wrap(
      'Scripts may depend on these numbers: new ones are added, existing ones are not changed. A command that is ended by a ' +
        'signal which it cannot handle ends with 128 plus the number of the signal, as usual in a shell: closing the terminal of a crawl gives 129.',
    ),
    table(
      ['code', 'name', 'meaning'],
      Object.entries(EXIT_MEANINGS).map(([name, [code, meaning]]) => [String(code), `\`${name}\``, meaning]),
    ),
    wrap(
      'Codes 5, 10, 11 and 12 are ends of a crawl that can be continued with `orbweaver resume`; nothing that was acknowledged is lost in these cases. ' +
        '[Troubleshooting](../how-to/troubleshoot.md) says what to do about each.',
    ),
  )
}
