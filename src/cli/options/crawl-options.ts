/** The options of `orbweaver crawl`, and its help: the basics by default, every group with `--help-all`. */
import { type Command, Option } from 'commander'
import { FIELDS, OPTION_GROUPS, type OptionGroup, optionHelp } from '../../config/index.js'
import { listenOption } from './crawl-address.js'
import { collect } from './whole.js'

export interface GroupedOption {
  readonly group: OptionGroup
  readonly option: Option
}

/** The settings of a crawl, then the options that concern this process only. */
export function crawlOptions(): GroupedOption[] {
  const settings = Object.values(FIELDS).map(field => {
    const option = new Option(field.flag, optionHelp(field))
    if (field.isRepeatable) option.argParser(collect)
    return { group: field.group, option }
  })
  const own: GroupedOption[] = [
    {
      group: 'basics',
      option: new Option('--config <file>', 'JSON file with settings, such as maxPages for --max-pages'),
    },
    { group: 'basics', option: new Option('--json', 'print the report as one JSON object on stdout') },
    { group: 'basics', option: new Option('--help-all', 'show all options') },
    {
      group: 'agents',
      option: new Option('--store <dir>', 'the same as --out; agent and resume use this name'),
    },
    { group: 'agents', option: listenOption() },
    {
      group: 'advanced',
      option: new Option(
        '--trust',
        'trust the directory that --previous names: connect to the database it names',
      ),
    },
  ]
  return [...settings, ...own]
}

export function headingOf(group: OptionGroup): string {
  return `${OPTION_GROUPS[group]}:`
}

/** Makes `--help` list the basics and name the other groups, and `--help-all` list everything in groups. */
export function withGroupedHelp(command: Command): Command {
  let isComplete = false
  command.helpOption('-h, --help', 'show the basic options').configureHelp({
    // Commander pads all descriptions to one column; the group names come in the order of the table.
    visibleOptions: ({ options }) => {
      const shown = options.filter(option => isComplete || option.helpGroupHeading === headingOf('basics'))
      return inGroupOrder(shown)
    },
  })
  command.on('option:help-all', () => {
    isComplete = true
    command.help()
  })
  return command.addHelpText('after', () => (isComplete ? '' : OTHER_GROUPS))
}

function inGroupOrder(options: readonly Option[]): Option[] {
  const headings = Object.keys(OPTION_GROUPS).map(group => headingOf(group as OptionGroup))
  const rank = (option: Option) => headings.indexOf(option.helpGroupHeading ?? '')
  return options.toSorted((a, b) => rank(a) - rank(b))
}

const OTHER_GROUPS = `
orbweaver crawl --help-all shows the other options: ${Object.values(OPTION_GROUPS)
  .slice(1)
  .map(name => name.toLowerCase())
  .join(', ')}.`
