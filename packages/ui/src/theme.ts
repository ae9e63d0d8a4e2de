import type { CSSVariablesResolver, MantineColorsTuple, MantineThemeOverride } from '@mantine/core'
import { createTheme } from '@mantine/core'
import { translations } from './messages.ts'

const t = translations('ui.frame')

/** The colour that distinguishes the two apps: `tide` for customers, `iris` for operators. */
export type Accent = 'tide' | 'iris'

// Shade 6 of every scale carries white text at 4.5:1 or better (WCAG 2.2 AA), so one shade serves
// both colour schemes.
const tide: MantineColorsTuple = [
  '#eef6f8',
  '#d8eaef',
  '#b0d5de',
  '#82bccb',
  '#55a1b5',
  '#31869c',
  '#1a6b82',
  '#12566a',
  '#0c4454',
  '#08323f',
]
const iris: MantineColorsTuple = [
  '#f4f1fb',
  '#e6dff6',
  '#cbbfed',
  '#ae9be2',
  '#9279d5',
  '#7859c4',
  '#6240ac',
  '#50338f',
  '#402973',
  '#301e58',
]
const gray: MantineColorsTuple = [
  '#faf9f7',
  '#f4f2ef',
  '#e9e6e1',
  '#d9d5ce',
  '#beb9b0',
  '#979187',
  '#6b665d',
  '#524e47',
  '#393631',
  '#22201d',
]
const dark: MantineColorsTuple = [
  '#e7e9eb',
  '#ccd0d4',
  '#a9b0b6',
  '#7f888f',
  '#363f47',
  '#2a3239',
  '#1e252b',
  '#14191e',
  '#0f1317',
  '#0a0d10',
]
const red: MantineColorsTuple = [
  '#fdf1ef',
  '#fadcd8',
  '#f3b8b1',
  '#eb8e84',
  '#e06859',
  '#d04638',
  '#b53326',
  '#96281c',
  '#781f15',
  '#5b160f',
]
const green: MantineColorsTuple = [
  '#eef7f1',
  '#d7eddd',
  '#addbbb',
  '#7bc493',
  '#4daa6d',
  '#2d8d51',
  '#1d7440',
  '#165e33',
  '#104a28',
  '#0b361d',
]
const yellow: MantineColorsTuple = [
  '#fdf6e8',
  '#f9e9c6',
  '#f2d28c',
  '#e8b751',
  '#d49a22',
  '#b17b10',
  '#8a5f0a',
  '#704c07',
  '#583b05',
  '#412b03',
]

const fontFamily =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif'

// Mantine heads its dialogs with <header>, which outside of sectioning elements would be a second
// banner of the page.
const dialogAttributes = { header: { role: 'none' } }

const dialogTitle = {
  fontSize: '1.125rem',
  fontWeight: 620,
  lineHeight: 1.3,
  overflowWrap: 'anywhere',
} as const

/**
 * The look both apps share; `accent` is the only thing in which they differ. Spacing keeps to an 8
 * px rhythm.
 */
export function createAtriumTheme(accent: Accent): MantineThemeOverride {
  return createTheme({
    primaryColor: accent,
    primaryShade: { light: 6, dark: 6 },
    colors: { tide, iris, gray, dark, red, green, yellow },
    black: '#1b1a17',
    fontFamily,
    fontFamilyMonospace:
      'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
    headings: {
      fontFamily,
      fontWeight: '620',
      textWrap: 'balance',
      sizes: {
        h1: { fontSize: '1.75rem', lineHeight: '1.2' },
        h2: { fontSize: '1.25rem', lineHeight: '1.3' },
        h3: { fontSize: '1.0625rem', lineHeight: '1.4' },
      },
    },
    defaultRadius: 'md',
    radius: { xs: '4px', sm: '6px', md: '10px', lg: '14px', xl: '20px' },
    spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
    cursorType: 'pointer',
    focusRing: 'auto',
    respectReducedMotion: true,
    // Named and not imported: a theme that imports its components puts all of them into the first
    // load.
    components: {
      Anchor: { defaultProps: { underline: 'always' } },
      Badge: { defaultProps: { tt: 'none', fw: 550, radius: 'sm' } },
      Button: { defaultProps: { fw: 550 } },
      Card: { defaultProps: { withBorder: true, padding: 'lg' } },
      Drawer: {
        defaultProps: {
          closeButtonProps: { 'aria-label': t('close') },
          attributes: dialogAttributes,
        },
        styles: { title: dialogTitle },
      },
      // A menu may hold only items (WAI-ARIA), so the first one takes the focus instead of
      // Mantine's empty placeholder.
      Menu: {
        defaultProps: { shadow: 'md', withinPortal: true, withInitialFocusPlaceholder: false },
      },
      Modal: {
        defaultProps: {
          centered: true,
          radius: 'lg',
          closeButtonProps: { 'aria-label': t('close') },
          attributes: dialogAttributes,
        },
        styles: { title: dialogTitle },
      },
      NavLink: { defaultProps: { variant: 'light' } },
      Notification: { defaultProps: { closeButtonProps: { 'aria-label': t('dismiss') } } },
      Paper: { defaultProps: { withBorder: true } },
      Popover: { defaultProps: { shadow: 'md' } },
      Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    },
  })
}

/**
 * Corrections of Mantine's derived colours where its own choice falls under 4.5:1 with our
 * neutrals.
 */
export const contrastVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#fdfcfb',
    '--mantine-color-dimmed': gray[6],
    '--mantine-color-placeholder': gray[6],
    '--mantine-color-error': red[6],
    '--mantine-color-default-border': gray[3],
    '--atrium-surface': '#ffffff',
    '--atrium-sunken': gray[1],
  },
  dark: {
    '--mantine-color-dimmed': dark[2],
    '--mantine-color-placeholder': dark[2],
    '--mantine-color-error': red[3],
    '--atrium-surface': '#191f24',
    '--atrium-sunken': dark[8],
    ...washes({ tide, iris, red, green, yellow }),
  },
})

/**
 * Mantine's light variant in the dark scheme is almost black; a wash of the colour itself keeps
 * buttons and marks visible.
 */
function washes(scales: Record<string, MantineColorsTuple>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(scales).flatMap(([name, scale]) => [
      [`--mantine-color-${name}-light`, `color-mix(in srgb, ${scale[5]} 22%, transparent)`],
      [`--mantine-color-${name}-light-hover`, `color-mix(in srgb, ${scale[5]} 32%, transparent)`],
      [`--mantine-color-${name}-light-color`, scale[2]],
    ]),
  )
}
