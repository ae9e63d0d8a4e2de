import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppRouter } from '@atrium/api/router'
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import { expect, expectTypeOf, it } from 'vitest'
import type { AtriumRouter } from '../src/trpc.ts'

type Inputs = inferRouterInputs<AppRouter>
type Outputs = inferRouterOutputs<AppRouter>
type OwnInputs = inferRouterInputs<AtriumRouter>
type OwnOutputs = inferRouterOutputs<AtriumRouter>

/** Fields that are absent in JSON are undefined in the types of the router. */
type Written<Type> = { [Key in keyof Type]: Written<Exclude<Type[Key], undefined>> }

// The compiler checks these; the test names them in the report.
it('has every procedure of the router', () => {
  expectTypeOf<keyof OwnInputs>().toEqualTypeOf<keyof Inputs>()
  expectTypeOf<keyof OwnInputs['members']>().toEqualTypeOf<keyof Inputs['members']>()
  expectTypeOf<keyof OwnInputs['scheduling']['hosts']>().toEqualTypeOf<
    keyof Inputs['scheduling']['hosts']
  >()
})

it('accepts and returns what the router does', () => {
  expectTypeOf<OwnInputs['tenants']['users']>().toExtend<Inputs['tenants']['users']>()
  expectTypeOf<OwnInputs['members']['create']>().toExtend<Inputs['members']['create']>()
  expectTypeOf<OwnInputs['lists']['update']>().toExtend<Inputs['lists']['update']>()
  expectTypeOf<Written<Outputs['members']['get']>>().toExtend<OwnOutputs['members']['get']>()
  expectTypeOf<Written<Outputs['lists']['get']>>().toExtend<OwnOutputs['lists']['get']>()
  expectTypeOf<Written<Outputs['tenants']['get']>>().toExtend<OwnOutputs['tenants']['get']>()
  expectTypeOf<Written<Outputs['documents']['download']>>().toExtend<
    OwnOutputs['documents']['download']
  >()
})

it('leaves no field open that the document describes', async () => {
  const text = await readFile(join(import.meta.dirname, '../src/generated/openapi.ts'), 'utf8')
  expect(text).toContain('"/tenants/{slug}/users"')
  expect(text.match(/.*[|&] unknown.*/g)).toBeNull()
})
