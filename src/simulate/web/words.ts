/**
 * The vocabulary of the generated web, and paragraphs made of it. ASCII only, but for what pages add
 * themselves.
 */
import { SeededRandom } from '../../model/index.js'
import { hashOf, Purpose } from './hash.js'

export const SECTIONS =
  'news guides notes archive people events reports stories library projects field letters'.split(' ')

export const SLUGS = `harbour lantern meadow copper signal thread orchard granite voyage ledger beacon mosaic
  quarry willow ember atlas canyon falcon garden hollow island jasper kettle lagoon marble north opal pebble quill
  raven saddle timber upland velvet winter yarrow zephyr anchor birch cedar delta elm fern grove heath ivy juniper
  kelp linden maple nettle oak poplar reed sedge thistle umber vale wharf`.split(/\s+/)

const COMMON =
  `the a of and to in that it was for on are with as his they at be this from have or by one had not but
  what all were when we there can an your which their said if do will each about how up out them then she many some
  so these would other into has more her two like him see time could no make than first been its who now people my
  made over did down only way find use may water long little very after words called just where most know get through
  back much before go good new write our used me man too any day same right look think also around another came come
  work three word must because does part even place well such here take why things help put years different away again
  off went old number great tell men say small every found still between name should home big give air line set own
  under read last never us left end along while might next sound below saw something thought both few those always
  looked show large often together asked house world going want school important until form food keep children feet
  land side without boy once animals life enough took sometimes four head above kind began almost live page got earth
  need far hand high year mother light parts country father let night following picture being study second eyes soon
  times story boys since white days ever paper hard near sentence better best across during today others however sure
  means knew try told young miles sun ways thing whole hear example heard several change answer room sea against top
  turned learn point city play toward five using himself usually`.split(/\s+/)

// Sixteen subjects; a web with more topics tells them apart by made-up words.
const SUBJECTS = [
  'astronomy telescope comet orbit planet nebula eclipse galaxy meteor crater',
  'bakery dough flour yeast crust oven loaf sourdough pastry rye',
  'cycling pedal saddle gear tyre chain helmet gravel peloton sprint',
  'gardening compost seedling pruning mulch trellis perennial bulb hedge soil',
  'sailing mast rudder keel harbour knot tide jib anchor regatta',
  'chess opening gambit endgame bishop rook castling checkmate pawn tempo',
  'geology basalt sediment fault mineral strata quartz erosion glacier fossil',
  'music chord melody rhythm cello tempo octave quartet score timbre',
  'railways locomotive signal gauge junction carriage platform timetable viaduct sleeper freight',
  'weather pressure front humidity cyclone forecast drizzle barometer monsoon frost cumulus',
  'pottery kiln glaze clay wheel stoneware slip firing porcelain vessel ash',
  'birds plumage migration nest warbler falcon heron roost feather wingspan song',
  'history treaty dynasty charter siege archive chronicle province merchant reform coin',
  'computing kernel compiler packet cache latency protocol pointer thread register queue',
  'medicine diagnosis tissue antibody dose trial symptom artery vaccine nerve ward',
  'law statute tribunal clause appeal precedent verdict counsel contract tort hearing',
].map(line => line.split(' '))

const SYLLABLES = 'ka lo mi ra ten vor sil du bar ne pho ris tal um zen gol ex wy'.split(' ')

// A prime: see the layout of pages.
const PARAGRAPHS = 157

/** Words that mark a topic: a subject's own, and two that no other topic has. */
export function topicWords(topic: number): readonly string[] {
  const subject = SUBJECTS[topic % SUBJECTS.length]
  return [...subject, madeUp(topic), madeUp(topic + 70_000)]
}

function madeUp(number: number): string {
  let word = ''
  for (let rest = number + 18; rest > 0; rest = Math.floor(rest / 18)) word += SYLLABLES[rest % 18]
  return word
}

/** A stock of paragraphs of 260 to 430 bytes on one topic; pages are laid out from it. */
export function paragraphsOf(seed: number, topic: number): readonly string[] {
  const own = topicWords(topic)
  return Array.from({ length: PARAGRAPHS }, (_, index) => {
    const random = new SeededRandom(hashOf(seed, Purpose.paragraph, topic, index))
    const wanted = 260 + random.next() * 110
    let text = ''
    while (text.length < wanted) text += `${text === '' ? '' : ' '}${sentence(own, random)}`
    return text
  })
}

function sentence(own: readonly string[], random: SeededRandom): string {
  const words: string[] = []
  const count = 5 + Math.floor(random.next() * 6)
  for (let i = 0; i < count; i++) {
    const from = random.next() < 0.2 ? own : COMMON
    words.push(from[Math.floor(random.next() * from.length)])
  }
  const text = words.join(' ')
  return `${text[0].toUpperCase()}${text.slice(1)}.`
}
