/** experiments/assignments/: all assignments on one generated web, compared by the figures of the papers. */
export { assignmentsExperiment, type CrawlChoices, type CrawlFigures, type CrawlWeb } from './experiment.js'
