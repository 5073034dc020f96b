export { BUCKET_SIZES, type BucketSizes } from '../config/phase-settings.js' // MOVED
