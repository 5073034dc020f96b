export type PresetName = 'fast' | 'default' | 'quality'
