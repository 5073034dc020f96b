export function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
}

export function verdict(isMet: boolean): string {
  return isMet ? 'met' : '**missed**'
}
