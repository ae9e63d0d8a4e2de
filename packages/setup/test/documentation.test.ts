import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { Answers, readAnswers } from '../src/answers.ts'
import { namesOf } from '../src/names.ts'
import { deploy } from './workplace.ts'

const guide = (name: string) => readFile(join(deploy, '../docs/how-to', name), 'utf8')
const section = (text: string, title: string) =>
  new RegExp(`^## ${title}\\n([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm').exec(text)?.[1] ?? ''
/** The code spans in the first column of a table. */
const firstColumn = (text: string) =>
  [...text.matchAll(/^\| ([^|]*`[^|]*) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code),
  )

describe('docs/how-to/install.md', () => {
  it('asks for ten steps at most', async () => {
    const steps = section(await guide('install.md'), 'Ten steps').match(/^\d+\. /gm)
    expect(steps).toHaveLength(10)
  })

  it('shows answers that are taken, and describes each of them', async () => {
    const text = section(await guide('install.md'), 'Without questions')
    const example = /```json\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
    const filled = example.replaceAll('…', 'AKIA0123456789')
    expect(Object.keys(readAnswers(JSON.parse(filled))).sort()).toEqual(
      Object.keys(Answers.shape).sort(),
    )
    expect(firstColumn(text).sort()).toEqual(Object.keys(Answers.shape).sort())
  })

  it('names the hosts as the set-up does', async () => {
    const named = firstColumn(section(await guide('install.md'), 'Names'))
    const real = Object.values(namesOf({ domain: 'x.test' })).map((name) =>
      name.replace('.x.test', ''),
    )
    expect(named.sort()).toEqual(real.sort())
  })
})

describe('docs/how-to/backup.md', () => {
  it('names services, volumes and folders that compose.yaml has', async () => {
    const text = await guide('backup.md')
    const { services, volumes } = parse(await readFile(join(deploy, 'compose.yaml'), 'utf8'), {
      merge: true,
    }) as { services: Record<string, { volumes?: string[] }>; volumes: Record<string, unknown> }
    const mounted = [...text.matchAll(/atrium_([\w-]+):\/restore(\/data\/[\w-]+)/g)]
    expect(mounted).toHaveLength(5)
    for (const [, volume = '', path = ''] of mounted) {
      expect(Object.keys(volumes)).toContain(volume)
      expect(services['files-backup']?.volumes).toContain(`${volume}:${path}:ro`)
    }
    for (const [, path = ''] of text.matchAll(/--include (\/data\/[\w-]+)/g))
      expect(services['files-backup']?.volumes?.join(' ')).toContain(`:${path}:ro`)
    for (const [, service = ''] of text.matchAll(/docker compose exec ([\w-]+)/g))
      expect(Object.keys(services)).toContain(service)
    const [, stopped = ''] = /docker compose stop (.+)$/m.exec(text) ?? []
    for (const service of stopped.split(' ')) expect(Object.keys(services)).toContain(service)
    const [, image] = /(restic\/restic:\S+)/.exec(text) ?? []
    expect(await readFile(join(deploy, '.env.example'), 'utf8')).toContain(`=${image}\n`)
  })
})
