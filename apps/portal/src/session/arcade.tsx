const arches = [0, 1, 2, 3, 4]

/** Drawing of an arcade, the workplace's motif. Decorative. */
export function Arcade() {
  return (
    <svg viewBox="0 0 600 800" preserveAspectRatio="xMidYMin slice" aria-hidden focusable="false">
      <g fill="none" stroke="#fff" strokeLinecap="round">
        {arches.map((arch) => {
          const inset = 60 + arch * 52
          const radius = 300 - inset
          return (
            <path
              key={arch}
              d={`M${inset} 820 V${360} A${radius} ${radius} 0 0 1 ${600 - inset} 360 V820`}
              strokeWidth={2 + arch * 0.6}
              opacity={0.07 + arch * 0.035}
            />
          )
        })}
      </g>
    </svg>
  )
}
