// A library that counts, for tests of races inside libraries.
#ifdef __cplusplus
extern "C" {
#endif
void CountOne(void);
#ifdef __cplusplus
}
#endif
