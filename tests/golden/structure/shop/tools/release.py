import changes
import shop
