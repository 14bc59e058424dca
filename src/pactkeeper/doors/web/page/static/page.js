// Keys, and words sent without leaving the page. Everything works without this file too, by links and buttons.
'use strict'

const all = (what, inside = document) => [...inside.querySelectorAll(what)]
const one = (what, inside = document) => inside.querySelector(what)
const told = one('#told')
let fading

function tell(text) {
  told.textContent = text
  told.classList.add('on')
  clearTimeout(fading)
  fading = setTimeout(() => told.classList.remove('on'), 4000)
}

// Cards: one of them is where the reader is.
const cards = () => all('[data-card]')
const current = () => one('[data-card].at')

function go(card) {
  if (!card) return
  for (const other of all('[data-card].at')) other.classList.remove('at')
  card.classList.add('at')
  card.focus({ preventScroll: true })
  card.scrollIntoView({ block: card.offsetHeight > innerHeight * 0.7 ? 'start' : 'nearest' })
}

function move(by) {
  const every = cards()
  const place = every.indexOf(current())
  if (place === -1) return go(every[0])
  const next = every[place + by]
  if (next) go(next)
  else press(by > 0 ? 'n' : 'p')
}

function onwardFrom(card) {
  const every = cards()
  const open = (item) => item.classList.contains('open')
  const after = every.slice(every.indexOf(card) + 1).find(open) || every.find(open)
  go(after || card)
  if (!after) tell('This suite is done. n goes to the next one.')
}

// Words: a form goes to the server, and the parts that changed come back and take their places.
async function send(form, button) {
  const fields = new URLSearchParams(new FormData(form, button))
  if (one('[data-all]', form)) withOpenCards(fields)
  if (form.dataset.busy) return
  form.dataset.busy = 'yes'
  try {
    const answer = await fetch(form.action, { method: 'POST', body: fields, headers: { 'X-Part': 'yes' } })
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const changed = swap(page)
    if (!changed.length) return tell(one('.message', page)?.textContent || `The server answered ${answer.status}.`)
    after(form, fields, answer.ok, changed)
  } catch {
    tell('The server did not answer; nothing was saved.')
  } finally {
    delete form.dataset.busy
  }
}

function withOpenCards(fields) {
  fields.delete('item')
  fields.delete('seen')
  for (const card of all('[data-card].open')) {
    for (const name of ['item', 'seen']) fields.append(name, one(`[name=${name}]`, card).value)
  }
}

function swap(page) {
  const parts = all('body > [id]', page)
  return parts.flatMap((part) => {
    const old = document.getElementById(part.id)
    if (!old) return []
    const at = old.classList.contains('at')
    old.replaceWith(part)
    if (at) part.classList.add('at')
    return [part]
  })
}

function after(form, fields, good, changed) {
  const ids = fields.getAll('item').map((name) => `card-${name}`)
  const first = document.getElementById(ids[0])
  if (!good) return go(first)
  const back = fields.get('verdict') === 'withdraw'
  remember(ids, back)
  if (back) return go(first)
  const last = document.getElementById(ids[ids.length - 1])
  onwardFrom(last || changed[0])
}

// The way back: what was said in this tab, the latest last.
const STEPS = 'pactkeeper.steps'
const steps = () => JSON.parse(sessionStorage.getItem(STEPS) || '[]')
const keep = (found) => sessionStorage.setItem(STEPS, JSON.stringify(found.slice(-200)))

function remember(ids, back) {
  const before = steps().filter((step) => !ids.includes(step.id))
  const here = location.pathname + location.search
  keep(back ? before : [...before, ...ids.map((id) => ({ id, here }))])
}

function takeBack() {
  const here = current() && one('[data-key=u]', current())
  if (here) return here.click()
  const step = steps().pop()
  if (!step) return press('u')
  const card = document.getElementById(step.id)
  if (card) {
    go(card)
    one('[data-key=u]', card)?.click()
  } else {
    sessionStorage.setItem('pactkeeper.back', step.id)
    location.assign(`${step.here}#${step.id}`)
  }
}

// Keys.
function press(key) {
  const found = all(`[data-key="${CSS.escape(key)}"]`).find((item) => !item.closest('[data-card]'))
  if (!found) return false
  if (found.matches('input, select, textarea')) found.focus()
  else found.click()
  return true
}

function unfold(kind) {
  const found = current() && one(kind, current())
  if (!found) return false
  found.open = true
  one('textarea, input:not([type=hidden])', found).focus()
  return true
}

const PLACES = { o: '', r: '/review', w: '/words', q: '/questions', p: '/pact', u: '/runs', c: '/commit', t: '/threads', h: '/health', a: '/ask' }
let going = false

const KEYS = {
  j: () => move(1),
  k: () => move(-1),
  e: () => unfold('.edit'),
  r: () => unfold('.reject'),
  u: takeBack,
  a: () => current() && one('[data-key=a]', current())?.click(),
  '?': () => one('#keys').showModal(),
  g: () => { going = true },
}

function typed(event) {
  const field = event.target.closest('input, textarea, select')
  if (event.key === 'Escape') return shut(event.target)
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && field?.form) {
    event.preventDefault()
    return field.form.requestSubmit()
  }
  if (field?.name === 'sentence') return inLines(event, field)
  if (field || event.ctrlKey || event.metaKey || event.altKey || one('dialog[open]')) return undefined
  if (going) return travel(event)
  if (KEYS[event.key] && (cards().length || !one(`[data-key="${CSS.escape(event.key)}"]`))) {
    event.preventDefault()
    return KEYS[event.key]()
  }
  const own = current() && /^[1-9]$/.test(event.key) && one(`[data-key="${event.key}"]`, current())
  if (own) return own.click()
  if (press(event.key)) event.preventDefault()
  return undefined
}

function travel(event) {
  going = false
  const place = PLACES[event.key]
  const base = one('.mark').getAttribute('href')
  if (place !== undefined) location.assign(base + place)
}

// Lines of words: Enter goes on to the next, Alt and a number takes a suggestion.
function inLines(event, field) {
  const fields = all('input[name=sentence]', field.form)
  if (event.key === 'Enter') {
    event.preventDefault()
    const next = fields[fields.indexOf(field) + 1]
    if (next) next.focus()
    else one('button.primary', field.form).focus()
  }
  const number = event.altKey && Number(event.key)
  const draft = number && all('[data-fill]', field.closest('section'))[number - 1]
  if (draft) {
    event.preventDefault()
    fill(draft)
  }
}

function fill(draft) {
  const field = document.getElementById(draft.dataset.fill)
  field.value = draft.dataset.says
  field.focus()
}

function shut(from) {
  const open = from.closest('details[open]') || one('.card.at details[open]')
  if (!open) return from.blur()
  open.open = false
  return go(open.closest('[data-card]'))
}

// An outcome and the lines that assert it light up together.
function light(event) {
  for (const lit of all('.lit')) lit.classList.remove('lit')
  const from = event.target.closest('[data-outcome], [data-asserts]')
  const card = from?.closest('[data-card]')
  if (!card) return
  const numbers = (from.dataset.outcome || from.dataset.asserts).split(' ')
  const pairs = [...all('[data-outcome]', card), ...all('[data-asserts]', card)]
  for (const item of pairs) {
    const own = (item.dataset.outcome || item.dataset.asserts).split(' ')
    if (own.some((number) => numbers.includes(number))) item.classList.add('lit')
  }
}

async function sure(question) {
  const dialog = one('#sure')
  one('p', dialog).textContent = question
  dialog.returnValue = ''
  dialog.showModal()
  await new Promise((done) => dialog.addEventListener('close', done, { once: true }))
  return dialog.returnValue === 'yes'
}

// A sentence is dropped on the part of the ticket where it belongs, which presses its button for that part.
let dragged
function drag() {
  for (const card of all('[data-drag]')) {
    if (!one('[name=place]', card)) continue
    card.draggable = true
    card.addEventListener('dragstart', () => { dragged = card })
  }
  for (const part of all('[data-drop]')) {
    const over = (on) => (event) => { if (dragged) { event.preventDefault(); part.classList.toggle('over', on) } }
    part.addEventListener('dragover', over(true))
    part.addEventListener('dragleave', over(false))
    part.addEventListener('drop', (event) => {
      event.preventDefault()
      one(`[name=place][value="${part.dataset.drop}"]`, dragged)?.click()
    })
  }
}

document.documentElement.classList.add('scripted')
drag()
document.addEventListener('keydown', typed)
document.addEventListener('mouseover', light)
document.addEventListener('focusin', (event) => {
  const card = event.target.closest('[data-card]')
  if (card && card !== current()) {
    for (const other of all('[data-card].at')) other.classList.remove('at')
    card.classList.add('at')
  }
})
document.addEventListener('click', (event) => {
  const close = event.target.closest('[data-close]')
  if (close) shut(close)
  const draft = event.target.closest('[data-fill]')
  if (draft) fill(draft)
  const dialog = event.target.closest('[data-dialog]')
  if (dialog) document.getElementById(dialog.dataset.dialog).showModal()
})
document.addEventListener('change', (event) => event.target.closest('[data-send]')?.form.requestSubmit())
document.addEventListener('submit', async (event) => {
  const form = event.target
  if (form.dataset.long) {
    tell(form.dataset.long)
    one('button', form).disabled = true
  }
  if (!form.matches('[data-part]')) return
  event.preventDefault()
  if (!form.dataset.sure || (await sure(form.dataset.sure))) send(form, event.submitter)
})

one('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
const suite = one('.suites [aria-current]')
for (const box of suite ? [suite.closest('ol'), suite.closest('aside')] : [])
  box.scrollTop += suite.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3
for (const button of all('[data-dialog]')) button.hidden = false
const named = location.hash.startsWith('#card-') && document.getElementById(location.hash.slice(1))
const line = one('input[name=sentence]')
if (line) line.focus()
if (cards().length) go(named || one('[data-card].open') || cards()[0])
if (named && sessionStorage.getItem('pactkeeper.back') === named.id) {
  sessionStorage.removeItem('pactkeeper.back')
  one('[data-key=u]', named)?.click()
}
