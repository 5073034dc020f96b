/** Evenness of workloads (D24): each lane's share of the total, and their standard deviation. */
export function normalised(times: readonly number[]): number[] {
  const sum = times.reduce((total, time) => total + time, 0)
  return times.map(time => (sum > 0 ? time / sum : 0))
}

export function sampleStdev(values: readonly number[]): number {
  if (values.length < 2) return 0
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1))
}
