package board

data class Cell(val row: Int, val column: Int)

class Board(private val size: Int) {
    private val taken = mutableMapOf<Cell, Char>()

    fun place(cell: Cell, mark: Char): Boolean {
        require(cell.row in 0 until size && cell.column in 0 until size) {
            "outside of the board"
        }
        if (cell in taken) {
            return false
        }
        taken[cell] = mark
        return true
    }

    fun winner(): Char? {
        for (row in 0 until size) {
            val marks = (0 until size).map { taken[Cell(row, it)] }
            if (marks.first() != null && marks.distinct().size == 1) {
                return marks.first()
            }
        }
        for (column in 0 until size) {
            val marks = (0 until size).map { taken[Cell(it, column)] }
            if (marks.first() != null && marks.distinct().size == 1) {
                return marks.first()
            }
        }
        return null
    }

    override fun toString() = buildString {
        for (row in 0 until size) {
            for (column in 0 until size) {
                append(taken[Cell(row, column)] ?: '.')
            }
            appendLine()
        }
    }
}
