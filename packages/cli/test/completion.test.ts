import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { atrium, program } from './atrium.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atrium-completion-'))
  await symlink(program, join(folder, 'atrium'))
  await writeFile(join(folder, '.zshrc'), zshConfiguration)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Loads what `atrium complete bash` prints, and completes the words of its arguments. */
const bash = `
[ -r /usr/share/bash-completion/bash_completion ] && source /usr/share/bash-completion/bash_completion
# A function of the package bash-completion, where that is not installed.
declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref() {
  words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
  cur=\${words[cword]} prev=\${words[cword - 1]}
}
source <(atrium complete bash)
COMP_WORDS=(atrium "$@") COMP_CWORD=$#
# "complete -o … -F <function> atrium", and the shell says that no completion runs.
[[ $(complete -p atrium) =~ -F\\ ([^ ]+) ]] && "\${BASH_REMATCH[1]}" 2>/dev/null
printf '%s\\n' "\${COMPREPLY[@]}"`

/** A terminal of its own, where Tab is pressed, and a key that prints the line. */
const zshConfiguration = `
autoload -Uz compinit && compinit -u -D
source <(atrium complete zsh)
show() { print -r -- "line:<$BUFFER>"; BUFFER=; }
zle -N show
bindkey '^X' show
PS1='ready:'
`
const zsh = `
zmodload zsh/zpty
zpty shell zsh -d -i
zpty -r shell found '*ready:*'
zpty -w -n shell "atrium $*"$'\\t\\x18'
zpty -r shell found '*line:<*>*'
print -r -- "\${\${found##*line:<atrium }%%>*}"`

const shells = {
  bash: (words: readonly string[]) => ['--noprofile', '--norc', '-c', bash, 'bash', ...words],
  zsh: (words: readonly string[]) => ['-f', '-c', zsh, 'zsh', ...words],
  fish: (words: readonly string[]) => [
    '--no-config',
    '--command',
    `atrium complete fish | source; complete --do-complete "atrium ${words.join(' ')}"`,
  ],
}
type Shell = keyof typeof shells

const isInstalled = (shell: Shell) => spawnSync(shell, ['-c', 'true']).error === undefined

/** What the shell offers, or the line as it completed it. */
function complete(shell: Shell, ...words: readonly string[]): string {
  const { stdout, stderr } = spawnSync(shell, shells[shell](words), {
    encoding: 'utf8',
    env: {
      HOME: folder,
      ZDOTDIR: folder,
      TERM: 'dumb',
      PATH: [folder, dirname(process.execPath), process.env.PATH].join(delimiter),
    },
  })
  return `${stdout}${stderr}`
}

const names = ['bash', 'zsh', 'fish'] as const
const installed = names.filter(isInstalled)
const absent = names.filter((shell) => !installed.includes(shell))
if (absent.length > 0) console.info(`Not installed, so not tried: ${absent.join(', ')}.`)

it.each(names)('prints a script for %s', async (shell) => {
  const { status, out } = await atrium(['complete', shell])
  expect({ status, named: out.includes('atrium complete --') }).toEqual({
    status: 0,
    named: true,
  })
})

it.each(installed)('completes commands and options in %s', (shell) => {
  expect(complete(shell, 'mem')).toMatch(/^members\b/)
  expect(complete(shell, 'members', 'create', '--ro')).toMatch(/(^| )--role\b/)
})

it('offers the words of an option in bash', () => {
  expect(complete('bash', 'members', 'create', '--role', '').split('\n')).toEqual(
    expect.arrayContaining(['member', 'admin']),
  )
})
