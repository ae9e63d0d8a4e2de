import { generateTypes } from './generate.ts'

await generateTypes()
