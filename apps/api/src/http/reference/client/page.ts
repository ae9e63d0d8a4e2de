/**
 * What the pages of the API reference do with a script: they send requests from the forms below
 * "Try it", and show the samples of every operation in the language that was opened last. The
 * server writes it into each page as it is, so it imports nothing.
 */

const tokenKey = 'atrium.reference.token'
const languageKey = 'atrium.reference.language'
/** A response that is longer, or still open after this time, is shown in part. */
const mostCharacters = 50_000
const mostMilliseconds = 10_000

const forms = document.querySelectorAll<HTMLFormElement>('form.call')
const tokenInputs = document.querySelectorAll<HTMLInputElement>('input[name=token]')
const samples = document.querySelectorAll<HTMLDetailsElement>('details[data-language]')

for (const details of document.querySelectorAll<HTMLDetailsElement>('details.try'))
  details.hidden = false

for (const input of tokenInputs) {
  input.value = sessionStorage.getItem(tokenKey) ?? ''
  input.addEventListener('input', () => {
    sessionStorage.setItem(tokenKey, input.value.trim())
    for (const other of tokenInputs) if (other !== input) other.value = input.value
  })
}

showLanguage(localStorage.getItem(languageKey))
for (const details of samples)
  details.querySelector('summary')?.addEventListener('click', () => {
    if (!details.open) localStorage.setItem(languageKey, details.dataset.language ?? '')
  })

for (const form of forms)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void submit(form)
  })

/** Opens the samples of a language; those of the others of the same operation close. */
function showLanguage(language: string | null): void {
  for (const details of samples) if (details.dataset.language === language) details.open = true
}

async function submit(form: HTMLFormElement): Promise<void> {
  const { method = 'GET', path = '/' } = form.dataset
  const button = form.querySelector('button') as HTMLButtonElement
  const outcome = form.querySelector('.outcome') as HTMLElement
  const responseBody = form.querySelector('.answer') as HTMLElement
  responseBody.hidden = true
  const fields = new FormData(form)
  const body = fields.get('body')
  if (typeof body === 'string' && body.trim() !== '' && !isJson(body)) {
    outcome.textContent = 'The body is not valid JSON. Nothing was sent.'
    return
  }
  if (method === 'DELETE' && !window.confirm(`Send DELETE ${path} to this installation?`)) return
  button.disabled = true
  outcome.textContent = 'Waiting for the response …'
  const started = performance.now()
  try {
    const response = await fetch(addressOf(path, fields), {
      method,
      headers: headersOf(fields),
      ...(typeof body === 'string' && body.trim() !== '' && { body }),
      cache: 'no-store',
      credentials: 'omit',
    })
    const { text, complete } = await beginningOf(response)
    const milliseconds = Math.round(performance.now() - started)
    outcome.textContent = `${response.status} ${response.statusText} in ${milliseconds} ms, request ${response.headers.get('x-request-id') ?? 'without an id'}${complete ? '' : '. Only the beginning is shown.'}`
    responseBody.textContent = pretty(text)
    responseBody.hidden = text === ''
  } catch {
    outcome.textContent = 'The request failed. The API cannot be reached.'
  } finally {
    button.disabled = false
  }
}

/** The values of the fields whose name begins with the place. */
function valuesIn(place: string, fields: FormData): [name: string, value: string][] {
  return [...fields].flatMap(([name, value]) =>
    name.startsWith(`${place} `) && typeof value === 'string' && value !== ''
      ? [[name.slice(place.length + 1), value] as [string, string]]
      : [],
  )
}

function addressOf(path: string, fields: FormData): string {
  const inPath = new Map(valuesIn('path', fields))
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(inPath.get(name) ?? ''),
  )
  const query = new URLSearchParams(valuesIn('query', fields)).toString()
  return query === '' ? filled : `${filled}?${query}`
}

function headersOf(fields: FormData): Headers {
  const headers = new Headers(valuesIn('header', fields))
  const token = fields.get('token')
  if (typeof token === 'string') headers.set('authorization', `Bearer ${token.trim()}`)
  if (fields.has('body')) headers.set('content-type', 'application/json')
  return headers
}

/** The text of a response, up to a length and a time: a stream of events has no end. */
async function beginningOf(response: Response): Promise<{ text: string; complete: boolean }> {
  const reader = response.body?.getReader()
  if (!reader) return { text: '', complete: true }
  const decoder = new TextDecoder()
  const timer = setTimeout(() => void reader.cancel(), mostMilliseconds)
  const deadline = performance.now() + mostMilliseconds
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    text += decoder.decode(value, { stream: !done })
    if (!done && text.length < mostCharacters) continue
    clearTimeout(timer)
    const complete = done && performance.now() < deadline
    if (!done) await reader.cancel()
    return { text: text.slice(0, mostCharacters), complete }
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** JSON with indentation; every other text as it is. */
function pretty(text: string): string {
  return isJson(text) ? JSON.stringify(JSON.parse(text), null, 2) : text
}
