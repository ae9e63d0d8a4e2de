import { ColorInput, type ColorInputProps } from '@mantine/core'

const swatches = [
  '#1a6b82',
  '#1f4e8c',
  '#6240ac',
  '#a3326b',
  '#b53326',
  '#a65a12',
  '#1d7440',
  '#5b6470',
]

type Props = ColorInputProps & { eyeDropperLabel: string }

/** An accent colour as hexadecimal text, with a choice of swatches. */
export function AccentColorInput({ eyeDropperLabel, ...props }: Props) {
  return (
    <ColorInput
      format="hex"
      swatches={swatches}
      swatchesPerRow={8}
      // The picker's sliders have no names for screen readers; a swatch or a typed value says the
      // same.
      withPicker={false}
      popoverProps={{ withinPortal: false }}
      eyeDropperButtonProps={{ 'aria-label': eyeDropperLabel }}
      {...props}
    />
  )
}
